import { expect, test } from 'vitest';
import { allowedHostnames, inUrl, TokenGate } from '../../src/serve/http-access.js';

test('TokenGate admits each of its tokens as a principal of its own', () => {
  const gate = new TokenGate(['first-token', 'second-token']);
  const [first, second] = [gate.admit('Bearer first-token'), gate.admit('bearer  second-token')];
  expect(first?.clientId).toMatch(/^[0-9a-f]{16}$/);
  expect(second?.clientId).not.toBe(first?.clientId);
});

test('TokenGate passes nothing on that holds the token', () => {
  expect(JSON.stringify(new TokenGate(['first-token']).admit('Bearer first-token'))).not.toContain('first');
});

test.each([
  undefined,
  '',
  'Bearer',
  'Bearer ',
  'Bearer first',
  'first-token',
  'Basic first-token',
  'Bearer a b',
])('TokenGate admits nobody with %j', (authorization) => {
  expect(new TokenGate(['first-token']).admit(authorization)).toBeUndefined();
});

test('allowedHostnames() of a loopback address knows loopback names only', () => {
  expect(allowedHostnames('127.0.0.1')).toEqual(['localhost', '127.0.0.1', '[::1]']);
});

test('allowedHostnames() of another address knows that address, too', () => {
  expect(allowedHostnames('192.0.2.7')).toContain('192.0.2.7');
  expect(allowedHostnames('192.0.2.7')).not.toContain('0.0.0.0');
});

test('inUrl() puts IPv6 addresses in brackets', () => {
  expect(inUrl('::1')).toBe('[::1]');
  expect(inUrl('127.0.0.1')).toBe('127.0.0.1');
});
