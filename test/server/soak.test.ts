import { expect, test } from 'vitest';
import { makeFolders } from './fixtures/rootward.js';
import { soak } from './fixtures/soak.js';

/** `npm run soak` asks for the long run. */
const CALLS = Number(process.env['SOAK_CALLS'] ?? 8000);
const LONG = 100_000;
/** A short run is over before the engine has settled: it finds what leaks with every call, not what creeps. */
const MOST_BYTES_PER_1000 = CALLS >= LONG ? 1024 : 100 * 1024;

const folders = makeFolders('a', 'b');

// Descriptors are counted in /proc.
test.runIf(process.platform === 'linux')(
  `rootward holds on to nothing over ${CALLS} calls with the roots changing in between`,
  async () => {
    const outcome = await soak(CALLS, [folders.uri('a'), folders.uri('b')]);
    console.log(JSON.stringify(outcome));
    expect(outcome.slope).toBeLessThan(MOST_BYTES_PER_1000);
    expect(outcome.descriptorsAfter).toBeLessThanOrEqual(outcome.descriptorsBefore);
  },
  30 * 60_000,
);
