import { expect, test } from 'vitest';
import { Backoff } from '../../src/inner/keeper.js';

test('Backoff.delay grows while a server keeps ending, up to half a minute, and is gone once it worked', () => {
  const backoff = new Backoff();
  const delays = Array.from({ length: 12 }, () => {
    const { delay } = backoff;
    backoff.failed();
    return delay;
  });
  expect(delays.slice(0, 5)).toEqual([0, 0, 250, 500, 1000]);
  expect(delays.at(-1)).toBe(30_000);
  backoff.worked();
  expect(backoff.delay).toBe(0);
});
