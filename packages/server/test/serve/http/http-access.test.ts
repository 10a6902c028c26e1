import * as crypto from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { allowedHostnames, inUrl, localAddress, TokenGate } from '../../../src/serve/http/http-access.js';

// The real thing, but counted.
vi.mock('node:crypto', async (original) => {
  const real = await original<typeof crypto>();
  return { ...real, timingSafeEqual: vi.fn<typeof crypto.timingSafeEqual>(real.timingSafeEqual) };
});

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

test('TokenGate compares whatever is given with every token, in constant time', () => {
  const gate = new TokenGate(['first-token', 'second-token', 'third-token']);
  for (const given of ['first-token', 'third-token', 'first-tokem', 'x', 'y'.repeat(5000)]) {
    vi.mocked(crypto.timingSafeEqual).mockClear();
    gate.admit(`Bearer ${given}`);
    const compared = vi.mocked(crypto.timingSafeEqual).mock.calls;
    expect(compared.map((buffers) => buffers.map(({ byteLength }) => byteLength))).toEqual(
      Array.from({ length: 3 }, () => [32, 32]),
    );
  }
});

test('allowedHostnames() of a loopback address knows loopback names only', () => {
  expect(allowedHostnames('127.0.0.1')).toEqual(['localhost', '127.0.0.1', '[::1]']);
});

test('allowedHostnames() of another address knows that address, too', () => {
  expect(allowedHostnames('192.0.2.7')).toContain('192.0.2.7');
  expect(allowedHostnames('192.0.2.7')).not.toContain('0.0.0.0');
});

test.each([
  ['2001:DB8:0:0::7', '[2001:db8::7]'],
  ['Build.Example', 'build.example'],
  ['fe80::1%eth0', '[fe80::1]'],
])('allowedHostnames() of %s knows it as clients write it', (host, written) => {
  expect(allowedHostnames(host)).toContain(written);
});

test.each([
  ['0.0.0.0', '127.0.0.1'],
  ['0', '127.0.0.1'],
  ['::', '[::1]'],
  ['0:0:0:0:0:0:0:0', '[::1]'],
  ['::1', '[::1]'],
  ['192.0.2.7', '192.0.2.7'],
])('localAddress() of %s is one that is let in', (host, address) => {
  expect(localAddress(host)).toBe(address);
  expect(allowedHostnames(host)).toContain(address);
});

test('inUrl() puts IPv6 addresses in brackets', () => {
  expect(inUrl('::1')).toBe('[::1]');
  expect(inUrl('127.0.0.1')).toBe('127.0.0.1');
});
