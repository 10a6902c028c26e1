import { describe, expect, test } from 'vitest';
import { RunSlots } from '../../../src/exec/run/run-slots.js';

const never = new AbortController().signal;

describe('RunSlots', () => {
  test('lets so many in, and the rest in the order they came', async () => {
    const slots = new RunSlots(2);
    const held = [await slots.take(never), await slots.take(never)];
    const order: number[] = [];
    const waiting = [1, 2, 3].map(async (n) => {
      const slot = await slots.take(never);
      order.push(n);
      slot[Symbol.dispose]();
    });
    expect([slots.taken, slots.waiting, order]).toEqual([2, 3, []]);
    held[0]![Symbol.dispose]();
    held[0]![Symbol.dispose]();
    await Promise.all(waiting);
    expect(order).toEqual([1, 2, 3]);
    expect([slots.taken, slots.waiting]).toEqual([1, 0]);
  });

  test('forgets one that no longer waits', async () => {
    const slots = new RunSlots(1);
    const held = await slots.take(never);
    const controller = new AbortController();
    const given = slots.take(controller.signal);
    const next = slots.take(never);
    controller.abort(new Error('enough'));
    await expect(given).rejects.toThrow('enough');
    held[Symbol.dispose]();
    (await next)[Symbol.dispose]();
    expect([slots.taken, slots.waiting]).toEqual([0, 0]);
    await expect(slots.take(controller.signal)).rejects.toThrow('enough');
  });
});
