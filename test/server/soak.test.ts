import { describe, expect, test } from 'vitest';
import { makeFolders } from './fixtures/rootward.js';
import { soak } from './fixtures/soak.js';
import type { SoakOptions, Soaked } from './fixtures/soak.js';

/** `npm run soak` asks for the long runs. */
const LONG_CALLS = Number(process.env['SOAK_CALLS'] ?? 0);
/**
 * V8 goes on compiling what runs seldom for some 350,000 calls, and keeps the code: the heap is flat only after that.
 * So it is with a bare SDK server of one tool, which still grows by 1 KB per 1,000 calls at 100,000.
 */
const TIMES_UNTIL_COMPILED = 10;
const CALLS = 8000;
/** A server that keeps nothing grows by far less; over few calls, the engine's moods weigh more. */
const MOST_BYTES_PER_1000 = 4 * 1024;
const MOST_BYTES_PER_1000_LONG = 1024;

const INTERPRETED = ['--jitless'];

const LEAK = new URL('fixtures/leak-a-little.cjs', import.meta.url);

const folders = makeFolders('a', 'b', 'snapshots');

async function soaked(options: Omit<SoakOptions, 'roots'>): Promise<Soaked> {
  const outcome = await soak({ roots: [folders.uri('a'), folders.uri('b')], ...options });
  console.log(JSON.stringify(outcome));
  expect(outcome.descriptorsAfter).toBeLessThanOrEqual(outcome.descriptorsBefore);
  return outcome;
}

// Descriptors are counted in /proc.
describe.runIf(process.platform === 'linux')('with the roots changing in between, rootward', () => {
  test(`holds on to nothing over ${CALLS} calls`, async () => {
    const { heapSlope } = await soaked({ calls: CALLS, flags: INTERPRETED });
    expect(heapSlope).toBeLessThan(MOST_BYTES_PER_1000);
  }, 300_000);

  test('would be caught holding on to one small object per call', async () => {
    const { heapSlope } = await soaked({ calls: CALLS / 2, flags: INTERPRETED, preload: [LEAK] });
    expect(heapSlope).toBeGreaterThan(MOST_BYTES_PER_1000);
  }, 300_000);

  describe.runIf(LONG_CALLS > 0)('in the long run', () => {
    test(`holds on to nothing but compiled code over ${LONG_CALLS} calls`, async () => {
      const { slopeApartFromCode } = await soaked({
        calls: LONG_CALLS,
        snapshots: folders.path('snapshots'),
      });
      expect(slopeApartFromCode).toBeLessThan(MOST_BYTES_PER_1000_LONG);
    });

    test.each([
      ['interpreted', LONG_CALLS, INTERPRETED],
      ['compiled', LONG_CALLS * TIMES_UNTIL_COMPILED, []],
    ])('stays as large as it is, %s, over %i calls', async (_, calls, flags) => {
      const { heapSlope } = await soaked({ calls, flags });
      expect(heapSlope).toBeLessThan(MOST_BYTES_PER_1000_LONG);
    });
  });
});
