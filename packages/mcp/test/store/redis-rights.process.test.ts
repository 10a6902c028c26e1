import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@redis/client';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { RedisStore } from '../../src/redis.js';
import { isInstalled, RedisServer, STORE_PROGRAM } from '../../../../testing/redis-server.js';
import { eventually } from '../../../../testing/eventually.js';

const HOUR = 3_600_000;
const GUIDE = readFileSync(new URL('../../../../docs/scaling.md', import.meta.url), 'utf8');

/** Those that the guide grants. */
function rightsOfGuide(): readonly string[] {
  const rights = /^ACL SETUSER rootward on >PASSWORD (.+)$/m.exec(GUIDE)?.[1]?.split(' ') ?? [];
  expect(rights).toContain('~rootward:*');
  return rights;
}

describe.skipIf(!isInstalled(STORE_PROGRAM))(`RedisStore with a user of ${STORE_PROGRAM}`, () => {
  let server: RedisServer;
  let admin: ReturnType<typeof createClient>;
  beforeAll(async () => {
    server = await RedisServer.start();
    admin = createClient({ socket: { path: join(server.folder, 'redis.sock'), tls: false } });
    await admin.connect();
  });
  afterAll(async () => {
    admin.destroy();
    await server[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    await admin.aclSetUser('few', ['reset', 'on', '>sesame', ...rightsOfGuide()]);
  });

  async function open(): Promise<RedisStore> {
    const store = await RedisStore.connect({ url: server.url, username: 'few', password: 'sesame' });
    onTestFinished(() => store.close());
    store.subscribe('channel', () => undefined);
    return store;
  }

  test('needs no other rights than those of the guide', async () => {
    const store = await open();
    expect(store.problem).toBeUndefined();
    await store.now();
    await store.replace('key', undefined, 'one', HOUR);
    await store.replace('key', 'one', 'two', HOUR);
    expect([await store.read('key'), await store.readStart('key', 1)]).toEqual(['two', 't']);
    await store.replace('key', await store.read('key', HOUR), undefined, HOUR);
    await store.append('log', 'line', HOUR);
    const [line] = await store.lines('log');
    expect(await store.lastLine('log')).toBe(line?.id);
    expect(await store.count('counter', 2, HOUR)).toBe(2);
    expect(await store.claim('places', 'member', 1, HOUR)).toBe(true);
    expect(await store.claim('places', 'member', 1, 0)).toBe(true);
    const heard: (string | undefined)[] = [];
    store.subscribe('news', (text) => heard.push(text));
    await eventually(async () => {
      await store.publish('news', 'text');
      expect(heard).toContain('text');
    });
    expect(await admin.keys('*rights*')).toEqual([]);
    expect(store.ready).toBe(true);
  });

  test('is not used without any one of them, and says which is missing', async () => {
    const rights = rightsOfGuide();
    for (const right of rights.filter((each) => each.startsWith('+'))) {
      await admin.aclSetUser('few', [right.replace('+', '-')]);
      const store = await open();
      await eventually(() => expect(store.problem).toBe(`its user lacks ${right} (NOPERM)`));
      await expect(store.read('key')).rejects.toThrow(
        `Cannot use the session store: its user lacks ${right}`,
      );
      await admin.aclSetUser('few', [right]);
      await store.close();
    }
  });

  test.each([
    ['~rootward:*', ['resetkeys', '~other:*']],
    ['&rootward:*', ['resetchannels', '&other:*']],
    ['+time +zadd', ['-time', '-zadd']],
  ])('is not used without %s until it has that', async (missing, changes) => {
    await admin.aclSetUser('few', changes);
    const store = await open();
    await eventually(() => expect(store.problem).toBe(`its user lacks ${missing} (NOPERM)`));
    await admin.aclSetUser('few', [...rightsOfGuide()]);
    await eventually(() => expect(store.ready).toBe(true));
  });

  test('that loses a right is not used from the first refusal on', async () => {
    const store = await open();
    await store.count('counter', 1, HOUR);
    await admin.aclSetUser('few', ['-incrby', '-zadd']);
    await expect(store.count('counter', 1, HOUR)).rejects.toThrow(/its user lacks \+incrby \(NOPERM\)$/);
    expect(store.ready).toBe(false);
    await eventually(() => expect(store.problem).toBe('its user lacks +incrby +zadd (NOPERM)'));
  });
});
