import { describe, expect, test } from 'vitest';
import { makeFolders } from '../fixtures/rootward.js';
import { growthOf, soak, watch } from '../fixtures/soak.js';
import type { MeasuredSoakOptions, Soaked, SoakOptions, Watched } from '../fixtures/soak.js';

/** `npm run soak` asks for the long runs. */
const LONG_CALLS = Number(process.env['SOAK_CALLS'] ?? 0);
/** One run sees some eight collections in its second half: alone, it could be off by the bound. */
const WATCHED_RUNS = 5;
/**
 * With many calls at once, ever new roots and collections by force, V8 goes on compiling what runs seldom for some
 * 350,000 calls, and keeps the code: the heap is flat only after that.
 */
const TIMES_UNTIL_COMPILED = 10;
const CALLS = 8000;
/** A server that keeps nothing grows by far less; over few calls, the engine's moods weigh more. */
const MAX_BYTES_PER_1000 = 4 * 1024;
const MAX_BYTES_PER_1000_LONG = 1024;

const INTERPRETED = ['--jitless'];

const LEAK = new URL('../fixtures/leak-a-little.cjs', import.meta.url);

const folders = makeFolders('a', 'b', 'snapshots');

async function soaked(options: Omit<MeasuredSoakOptions, 'roots'>): Promise<Soaked> {
  const outcome = await soak({ roots: [folders.uri('a'), folders.uri('b')], ...options });
  console.log(JSON.stringify(outcome));
  expect(outcome.descriptorsAfter).toBeLessThanOrEqual(outcome.descriptorsBefore);
  return outcome;
}

async function watched(options: Omit<SoakOptions, 'roots'>): Promise<Watched> {
  const outcome = await watch({ roots: [folders.uri('a'), folders.uri('b')], ...options });
  console.log(JSON.stringify({ calls: options.calls, growth: growthOf([outcome]), ...outcome }));
  expect(outcome.descriptorsAfter).toBeLessThanOrEqual(outcome.descriptorsBefore);
  return outcome;
}

// Descriptors are counted in /proc.
describe.runIf(process.platform === 'linux')('with the roots changing in between, rootward', () => {
  test(`holds on to nothing over ${CALLS} calls`, async () => {
    const { heapSlope } = await soaked({ calls: CALLS, flags: INTERPRETED });
    expect(heapSlope).toBeLessThan(MAX_BYTES_PER_1000);
  });

  test('would be caught holding on to one small object per call', async () => {
    const { heapSlope } = await soaked({ calls: CALLS / 2, flags: INTERPRETED, preload: [LEAK] });
    expect(heapSlope).toBeGreaterThan(MAX_BYTES_PER_1000);
  });

  describe.runIf(LONG_CALLS > 0)('in the long run', () => {
    test(`stays as large as it is, compiled code and all, over ${LONG_CALLS} calls one at a time`, async () => {
      const runs: Watched[] = [];
      while (runs.length < WATCHED_RUNS) runs.push(await watched({ calls: LONG_CALLS }));
      expect(growthOf(runs)).toBeLessThan(MAX_BYTES_PER_1000_LONG);
    });

    test('would be seen growing by one small object per call', async () => {
      const run = await watched({ calls: LONG_CALLS, preload: [LEAK] });
      expect(growthOf([run])).toBeGreaterThan(MAX_BYTES_PER_1000_LONG);
    });

    test(`holds on to nothing but compiled code over ${LONG_CALLS} calls`, async () => {
      const { slopeApartFromCode } = await soaked({
        calls: LONG_CALLS,
        snapshots: folders.path('snapshots'),
      });
      expect(slopeApartFromCode).toBeLessThan(MAX_BYTES_PER_1000_LONG);
    });

    test.each([
      ['interpreted', LONG_CALLS, INTERPRETED],
      ['compiled', LONG_CALLS * TIMES_UNTIL_COMPILED, []],
    ])('stays as large as it is, %s, over %i calls', async (_, calls, flags) => {
      const { heapSlope } = await soaked({ calls, flags });
      expect(heapSlope).toBeLessThan(MAX_BYTES_PER_1000_LONG);
    });
  });
});
