import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { MALFORMED_ANSWER, readMessage } from '../../src/stdio/message.js';

test('readMessage() keeps only the members the protocol knows', () => {
  expect(readMessage({ jsonrpc: '2.0', id: 1, method: 'ping', params: { a: 1 }, extra: true })).toEqual({
    kind: 'request',
    message: { jsonrpc: '2.0', id: 1, method: 'ping', params: { a: 1 } },
  });
  expect(readMessage({ jsonrpc: '2.0', method: 'notifications/initialized', extra: 1 })).toEqual({
    kind: 'notification',
    message: { jsonrpc: '2.0', method: 'notifications/initialized' },
  });
});

test('readMessage() forwards a well-formed answer as it is', () => {
  expect(readMessage({ jsonrpc: '2.0', id: 'a', result: { roots: [] } })).toEqual({
    kind: 'answer',
    id: 'a',
    message: { jsonrpc: '2.0', id: 'a', result: { roots: [] } },
  });
  const error = { code: -32_601, message: 'Method not found', data: { why: 1 } };
  expect(readMessage({ jsonrpc: '2.0', id: 0, error })).toMatchObject({ kind: 'answer', message: { error } });
});

test.each([
  ['result: null', { jsonrpc: '2.0', id: 0, result: null }],
  ['result: []', { jsonrpc: '2.0', id: 0, result: [] }],
  ['a text result', { jsonrpc: '2.0', id: 0, result: 'x' }],
  ['no result at all', { jsonrpc: '2.0', id: 0 }],
  ['result and error', { jsonrpc: '2.0', id: 0, result: {}, error: { code: 1, message: 'x' } }],
  ['error: null', { jsonrpc: '2.0', id: 0, error: null }],
  ['a text error', { jsonrpc: '2.0', id: 0, error: 'no' }],
  ['an error without a code', { jsonrpc: '2.0', id: 0, error: { message: 'no' } }],
  ['a fractional code', { jsonrpc: '2.0', id: 0, error: { code: 1.5, message: 'no' } }],
  ['another jsonrpc', { jsonrpc: '1.0', id: 0, result: {} }],
])('readMessage() turns an answer with %s into an error', (_, value) => {
  expect(readMessage(value)).toMatchObject({
    kind: 'answer',
    id: 0,
    message: { id: 0, error: { data: MALFORMED_ANSWER } },
  });
});

test.each([
  ['null', null, undefined],
  ['a number', 7, undefined],
  ['a null id', { jsonrpc: '2.0', id: null, method: 'ping' }, undefined],
  ['a fractional id', { jsonrpc: '2.0', id: 1.5, method: 'ping' }, undefined],
  ['no jsonrpc', { id: 3, method: 'ping' }, 3],
  ['params that are a list', { jsonrpc: '2.0', id: 3, method: 'ping', params: [] }, 3],
  ['a method that is no text', { jsonrpc: '2.0', id: 'q', method: 5 }, 'q'],
])('readMessage() finds %s invalid and names the id it can answer', (_, value, id) => {
  expect(readMessage(value)).toMatchObject({ kind: 'invalid', id });
});

const UNREADABLE = [
  ['null', null],
  ['a list', []],
  ['a progress token that is null', { progressToken: null }],
  ['a fractional progress token', { progressToken: 1.5 }],
  ['a related task without an id', { 'io.modelcontextprotocol/related-task': {} }],
] as const;

test.each(UNREADABLE)('readMessage() finds a request with %s as metadata invalid', (_, _meta) => {
  const request = { jsonrpc: '2.0', id: 3, method: 'ping', params: { _meta } };
  expect(readMessage(request)).toMatchObject({ kind: 'invalid', id: 3 });
});

test.each(UNREADABLE)('readMessage() takes an answer with %s as metadata without it', (_, _meta) => {
  const answer = { jsonrpc: '2.0', id: 3, result: { roots: [], _meta } };
  expect(readMessage(answer)).toEqual({
    kind: 'answer',
    id: 3,
    message: { jsonrpc: '2.0', id: 3, result: { roots: [] } },
  });
});

test.each(UNREADABLE)('readMessage() takes a notification with %s as metadata without it', (_, _meta) => {
  const method = 'notifications/cancelled';
  expect(readMessage({ jsonrpc: '2.0', method, params: { requestId: 3, _meta } })).toEqual({
    kind: 'notification',
    message: { jsonrpc: '2.0', method, params: { requestId: 3 } },
  });
});

test.each([null, []])('readMessage() takes a notification whose params are %j without them', (params) => {
  const notification = { jsonrpc: '2.0', method: 'notifications/roots/list_changed' };
  expect(readMessage({ ...notification, params })).toEqual({ kind: 'notification', message: notification });
});

test('readMessage() leaves metadata alone that can be read', () => {
  const params = {
    _meta: { progressToken: 'a', 'io.modelcontextprotocol/related-task': { taskId: 't' }, own: null },
  };
  const message = { jsonrpc: '2.0', id: 3, method: 'ping', params };
  expect(readMessage(message)).toEqual({ kind: 'request', message });
});

test('readMessage() sorts any JSON value without throwing', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(['request', 'notification', 'answer', 'invalid']).toContain(readMessage(value).kind);
    }),
  );
});
