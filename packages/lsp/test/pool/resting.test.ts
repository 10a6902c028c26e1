import { expect, test } from 'vitest';
import { Resting } from '../../src/pool/resting.js';
import { FakeClock } from '../../../../testing/fake-clock.js';

test('Resting.get() finds again after ten times as long, or when this process has changed files', async () => {
  const clock = new FakeClock();
  let changes = 0;
  let found = 0;
  const resting = new Resting<number>(clock, () => changes);
  const get = (): Promise<number> =>
    resting.get('word', async () => {
      clock.advance(10);
      found += 1;
      return found;
    });
  expect(await get()).toBe(1);
  clock.advance(99);
  expect(await get()).toBe(1);
  clock.advance(1);
  expect(await get()).toBe(2);
  changes += 1;
  expect(await get()).toBe(3);
  expect(await resting.get('other', async () => 0)).toBe(0);
});
