import { describe, expect, test } from 'vitest';
import { makeFolders } from './fixtures/rootward.js';
import { soak } from './fixtures/soak.js';
import type { SoakOptions, Soaked } from './fixtures/soak.js';

/** `npm run soak` asks for the long run. */
const LONG_CALLS = Number(process.env['SOAK_CALLS'] ?? 0);
const CALLS = 8000;
/** Without a compiler, a server that keeps nothing grows by less than 1 KB; the rest is room for the engine's moods. */
const MOST_BYTES_PER_1000 = 4 * 1024;
const MOST_BYTES_PER_1000_LONG = 1024;
/** With it, one run of 100,000 calls differs from the next by 2 or 3 KB, in either direction. */
const MOST_BYTES_PER_1000_COMPILED = 8 * 1024;

const LEAK = new URL('fixtures/leak-a-little.cjs', import.meta.url);

const folders = makeFolders('a', 'b');

async function soaked(options: Omit<SoakOptions, 'roots'>): Promise<Soaked> {
  const outcome = await soak({ roots: [folders.uri('a'), folders.uri('b')], ...options });
  console.log(JSON.stringify(outcome));
  return outcome;
}

// Descriptors are counted in /proc.
describe.runIf(process.platform === 'linux')('with the roots changing in between, rootward', () => {
  test(`holds on to nothing over ${CALLS} calls`, async () => {
    const { slope, descriptorsBefore, descriptorsAfter } = await soaked({ calls: CALLS, interpreted: true });
    expect(slope).toBeLessThan(MOST_BYTES_PER_1000);
    expect(descriptorsAfter).toBeLessThanOrEqual(descriptorsBefore);
  }, 300_000);

  test('would be caught holding on to one small object per call', async () => {
    const { slope } = await soaked({ calls: CALLS / 2, interpreted: true, preload: [LEAK] });
    expect(slope).toBeGreaterThan(MOST_BYTES_PER_1000);
  }, 300_000);

  test.runIf(LONG_CALLS > 0).each([
    [true, MOST_BYTES_PER_1000_LONG],
    [false, MOST_BYTES_PER_1000_COMPILED],
  ])(
    `holds on to nothing over ${LONG_CALLS} calls, interpreted: %s`,
    async (interpreted, most) => {
      const { slope, descriptorsBefore, descriptorsAfter } = await soaked({ calls: LONG_CALLS, interpreted });
      expect(slope).toBeLessThan(most);
      expect(descriptorsAfter).toBeLessThanOrEqual(descriptorsBefore);
    },
    30 * 60_000,
  );
});
