import { expect, test } from 'vitest';
import { WakeQueue } from '../../../../src/sdk-v2/http/sharing/wake-queue.js';
import { FakeClock } from '../../../../../../testing/fake-clock.js';

const WAIT = 5_000;
const TAKES = 100;

function start() {
  const clock = new FakeClock();
  const queue = new WakeQueue(clock);
  const woken: string[] = [];
  const add = (id: string): void =>
    queue.add(id, () => {
      woken.push(id);
      return new Promise((resolve) => void clock.setTimeout(() => resolve(undefined), TAKES));
    });
  return { clock, queue, woken, add };
}

test('WakeQueue wakes one after the other, and rests three times as long as each took', async () => {
  const { clock, woken, add } = start();
  add('a');
  add('b');
  await clock.advanceAndSettle(WAIT - 1);
  expect(woken).toEqual([]);
  await clock.advanceAndSettle(1);
  expect(woken).toEqual(['a']);
  await clock.advanceAndSettle(4 * TAKES - 1);
  expect(woken).toEqual(['a']);
  await clock.advanceAndSettle(1);
  expect(woken).toEqual(['a', 'b']);
  await clock.advanceAndSettle(WAIT);
  add('c');
  await clock.advanceAndSettle(WAIT);
  expect(woken).toEqual(['a', 'b', 'c']);
});

test('WakeQueue waits for each one as long, whoever was removed before it', async () => {
  const { clock, queue, woken, add } = start();
  add('a');
  await clock.advanceAndSettle(3_000);
  add('b');
  queue.remove('a');
  await clock.advanceAndSettle(WAIT - 1);
  expect(woken).toEqual([]);
  await clock.advanceAndSettle(1);
  expect(woken).toEqual(['b']);
});

test('WakeQueue lets nobody who is added again and again keep the others waiting', async () => {
  const { clock, woken, add } = start();
  add('a');
  add('b');
  await clock.advanceAndSettle(4_000);
  add('a');
  await clock.advanceAndSettle(WAIT);
  expect(woken).toEqual(['a', 'b']);
});

test('WakeQueue goes on after one that failed, and after one that never comes to an end', async () => {
  const { clock, queue, woken, add } = start();
  queue.add('failing', () => Promise.reject(new Error('It cannot be made')));
  queue.add('hanging', () => new Promise(() => undefined));
  add('a');
  await clock.advanceAndSettle(WAIT + 9_000);
  expect(woken).toEqual([]);
  await clock.advanceAndSettle(3_000);
  expect(woken).toEqual(['a']);
});

test('WakeQueue wakes nobody after clear()', async () => {
  const { clock, queue, woken, add } = start();
  add('a');
  queue.clear();
  await clock.advanceAndSettle(2 * WAIT);
  expect(woken).toEqual([]);
  expect(clock.timers).toBe(0);
});
