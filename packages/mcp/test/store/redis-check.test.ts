import { expect, test } from 'vitest';
import { checkServer } from '../../src/store/redis-check.js';

/** A server that says of itself what it is told to: managed ones leave out what they like. */
async function check(...lines: readonly string[]): Promise<string | undefined> {
  const info = ['redis_version:7.0.15', 'role:master', ...lines].join('\r\n');
  const client = { info: () => Promise.resolve(info), set: () => Promise.resolve(null) };
  const state = await checkServer(client as unknown as Parameters<typeof checkServer>[0], 'format', '1');
  return state.warning;
}

test('checkServer() warns where keys with an end may go', async () => {
  expect(await check('maxmemory:1000', 'maxmemory_policy:volatile-ttl')).toMatch(
    /^it removes sessions and counts .*\(volatile-ttl\); use noeviction$/,
  );
});

test('checkServer() warns where the server does not say which keys may go', async () => {
  for (const lines of [[], ['maxmemory:1000']]) {
    expect(await check(...lines)).toMatch(/^it does not say what it does when its memory is full/);
  }
});

test('checkServer() has nothing to say where no key may go', async () => {
  expect(await check('maxmemory:1000', 'maxmemory_policy:noeviction')).toBeUndefined();
  expect(await check('maxmemory:0', 'maxmemory_policy:allkeys-lru')).toBeUndefined();
  expect(await check('maxmemory_policy:noeviction')).toBeUndefined();
});

test('checkServer() refuses a server that may remove any key', async () => {
  for (const lines of [['maxmemory:1000'], []]) {
    await expect(check(...lines, 'maxmemory_policy:allkeys-lfu')).rejects.toMatchObject({
      code: 'store-invalid',
    });
  }
});
