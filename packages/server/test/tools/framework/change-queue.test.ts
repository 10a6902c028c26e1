import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ChangeQueue } from '../../../src/tools/framework/change-queue.js';

test('ChangeQueue.run() runs one task per key at a time, in order, and keys side by side', async () => {
  const queue = new ChangeQueue();
  const order: string[] = [];
  let open!: () => void;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const first = queue.run(['a'], async () => {
    await gate;
    order.push('first a');
  });
  const second = queue.run(['a'], async () => {
    order.push('second a');
  });
  await queue.run(['b'], async () => {
    order.push('b');
  });
  open();
  await Promise.all([first, second]);
  expect(order).toEqual(['b', 'first a', 'second a']);
});

test('ChangeQueue.run() waits for all that concerns one of its paths, above or below it', async () => {
  const queue = new ChangeQueue();
  const order: string[] = [];
  const run = (name: string, ...keys: string[]): Promise<void> =>
    queue.run(keys, async () => {
      await new Promise((resolve) => setImmediate(resolve));
      order.push(name);
    });
  await Promise.all([
    run('file', join('/w', 'a', 'f')),
    run('folder', join('/w', 'b'), join('/w', 'a')),
    run('in folder', join('/w', 'b', 'g')),
    run('sibling', join('/w', 'a-b')),
  ]);
  expect(order).toEqual(['file', 'sibling', 'folder', 'in folder']);
  await Promise.all([run('all', '/'), run('one', join('/w', 'a'))]);
  expect(order.slice(4)).toEqual(['all', 'one']);
});

test('ChangeQueue.run() goes on after a task that failed, and keeps nothing', async () => {
  const queue = new ChangeQueue();
  const failing = queue.run(['a'], () => Promise.reject(new Error('no')));
  const next = queue.run(['a'], () => Promise.resolve(1));
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe(1);
  expect(queue.size).toBe(0);
});
