import { expect, test } from 'vitest';
import { mapInBatches } from '../../src/roots/map-in-batches.js';

const numbers = Array.from({ length: 25 }, (_, index) => index);

test('mapInBatches() keeps the order and never has more than one batch under way', async () => {
  let running = 0;
  let most = 0;
  const doubled = await mapInBatches(numbers, 4, async (number) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    running -= 1;
    return number * 2;
  });
  expect(doubled).toEqual(numbers.map((number) => number * 2));
  expect(most).toBe(4);
});

test('mapInBatches() of nothing is nothing', async () => {
  expect(await mapInBatches([], 4, async () => 1)).toEqual([]);
});

test('mapInBatches() rejects with what a call rejects with', async () => {
  const failure = new Error('no');
  await expect(mapInBatches(numbers, 4, () => Promise.reject(failure))).rejects.toBe(failure);
});

test('mapInBatches() gives up at once on abort, also while a call hangs', async () => {
  const controller = new AbortController();
  const started: number[] = [];
  const reason = new Error('enough');
  const result = mapInBatches(
    numbers,
    4,
    (number) => {
      started.push(number);
      if (started.length === 4) queueMicrotask(() => controller.abort(reason));
      return new Promise<never>(() => {});
    },
    controller.signal,
  );
  await expect(result).rejects.toBe(reason);
  expect(started).toEqual([0, 1, 2, 3]);
});

test('mapInBatches() starts nothing when the signal is aborted already', async () => {
  const reason = new Error('enough');
  let calls = 0;
  const count = async () => {
    calls += 1;
  };
  await expect(mapInBatches(numbers, 4, count, AbortSignal.abort(reason))).rejects.toBe(reason);
  expect(calls).toBe(0);
});
