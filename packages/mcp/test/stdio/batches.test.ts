import { expect, test } from 'vitest';
import { Batches } from '../../src/stdio/batches.js';
import { readMessage, type Incoming, type RequestId } from '../../src/stdio/message.js';

const request = (id: RequestId): Incoming => readMessage({ jsonrpc: '2.0', id, method: 'ping' });
const answer = (id: RequestId) => ({ jsonrpc: '2.0', id, result: {} }) as const;

test('Batches.place() holds answers back until the batch is complete', () => {
  const batches = new Batches();
  batches.open([request(1), request('1')]);
  expect(batches.place(answer(2))).toEqual({ kind: 'single' });
  expect(batches.place(answer('1'))).toEqual({ kind: 'held' });
  expect(batches.place(answer(1))).toEqual({ kind: 'complete', answers: [answer('1'), answer(1)] });
  expect(batches.place(answer(1))).toEqual({ kind: 'single' });
});

test('Batches.cancel() does not wait for the answer to a cancelled request', () => {
  const batches = new Batches();
  batches.open([request(1), request(2)]);
  expect(batches.place(answer(1))).toEqual({ kind: 'held' });
  expect(batches.cancel(2)).toEqual({ kind: 'complete', answers: [answer(1)] });
});

test('Batches.open() answers what it cannot serve together with the rest', () => {
  const batches = new Batches();
  const { items, answers } = batches.open([request(1), request(1), readMessage({ id: 2, method: 'ping' })]);
  expect(items.map(({ kind }) => kind)).toEqual(['request', 'invalid']);
  expect(answers).toEqual([]);
  const placed = batches.place(answer(1));
  expect(placed).toMatchObject({ kind: 'complete', answers: [{ id: 1 }, { id: 2 }, answer(1)] });
});

test('Batches.open() answers at once when nothing in the batch can be served', () => {
  const { answers } = new Batches().open([readMessage({ id: 2, method: 'ping' }), readMessage(7)]);
  expect(answers).toMatchObject([{ id: 2, error: { code: -32_600 } }]);
});
