import { expect, test } from 'vitest';
import { Deferred } from '@rootward/core/platform';
import { Turns } from '../../src/pool/turns.js';

test('Turns.take() lets those of one key go one after the other, and those of another at once', async () => {
  const turns = new Turns();
  const order: string[] = [];
  const gate = new Deferred();
  const first = turns.take('a', () => gate.promise.then(() => void order.push('first')), undefined);
  const second = turns.take('a', async () => void order.push('second'), undefined);
  await turns.take('b', async () => void order.push('other'), undefined);
  gate.resolve();
  await Promise.all([first, second]);
  expect(order).toEqual(['other', 'first', 'second']);
});

test('Turns.take() goes on after one that failed, and after one that did not wait', async () => {
  const turns = new Turns();
  const gate = new Deferred();
  const failing = turns.take('a', () => gate.promise.then(() => Promise.reject(new Error('no'))), undefined);
  const leaving = new AbortController();
  const left = turns.take('a', () => Promise.reject(new Error('never asked')), leaving.signal);
  const last = turns.take('a', async () => 'done', undefined);
  leaving.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
  gate.resolve();
  await expect(failing).rejects.toThrow('no');
  expect(await last).toBe('done');
});
