import { expect, test } from 'vitest';
import { afterCrash, holdOff, noCrashes } from '../../src/pool/restart-policy.js';

test('holdOff() lets a first failure pass, waits longer after each next one, and forgives after a while', () => {
  let state = noCrashes;
  expect(holdOff(state, 0)).toBeUndefined();
  const waits = [0, 0, 0, 0, 0].map((at) => {
    state = afterCrash(state, { at, reason: 'it fell' });
    return holdOff(state, 0)?.until ?? 0;
  });
  expect(waits).toEqual([0, 1_000, 10_000, 120_000, 120_000]);
  expect(holdOff(state, 119_500)?.reason).toBe(
    'it failed 5 times, last because it fell; next attempt in 1 s',
  );
  expect(holdOff(state, 120_000)).toBeUndefined();
  const later = 11 * 60_000;
  expect(holdOff(afterCrash(state, { at: later, reason: 'again' }), later)).toBeUndefined();
});
