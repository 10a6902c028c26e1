import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createClient } from '@redis/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MemoryStore, Revocations, RootwardMcpError, type SessionStore } from '../../src/index.js';
import { RedisStore } from '../../src/redis.js';
import { isInstalled, RedisServer, type RedisProgram } from '../../../../testing/redis-server.js';
import { eventually } from '../../../../testing/eventually.js';

const HOUR = 3_600_000;

/** What every store does. `open` opens one more onto the same data. */
function behavesAsStore(open: () => Promise<SessionStore>): void {
  let store: SessionStore;
  let other: SessionStore;
  beforeAll(async () => {
    store = await open();
    other = await open();
  });
  afterAll(async () => {
    await store.close();
    await other.close();
  });

  test('replace() puts a text in the place of the one that was read, and of no other', async () => {
    expect(await store.replace('text', undefined, 'one', HOUR)).toBe(true);
    expect(await other.replace('text', undefined, 'two', HOUR)).toBe(false);
    expect(await other.replace('text', 'zero', 'two', HOUR)).toBe(false);
    expect(await other.replace('text', 'one', 'two', HOUR)).toBe(true);
    expect(await store.read('text', HOUR)).toBe('two');
    expect(await store.replace('text', 'two', undefined, HOUR)).toBe(true);
    expect(await other.read('text')).toBeUndefined();
  });

  test('readStart() has the first characters of a text', async () => {
    await store.replace('long', undefined, 'abcdef', HOUR);
    expect(await other.readStart('long', 3)).toBe('abc');
    expect(await other.readStart('long', 10)).toBe('abcdef');
    expect(await other.readStart('no text', 3)).toBe('');
  });

  test('now() is the time of one clock for all processes', async () => {
    const times = [await store.now(), await other.now(), await store.now()];
    expect(times.every(Number.isSafeInteger)).toBe(true);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  test('of a hundred replace() at once from the same text, one succeeds', async () => {
    await store.replace('race', undefined, 'start', HOUR);
    const attempts = Array.from({ length: 100 }, (_, index) =>
      (index % 2 === 0 ? store : other).replace('race', 'start', String(index), HOUR),
    );
    expect((await Promise.all(attempts)).filter(Boolean)).toHaveLength(1);
  });

  test('what was not read or written in time is gone', async () => {
    await store.replace('short', undefined, 'text', 30);
    await store.append('short log', 'line', 30);
    await store.claim('short places', 'member', 1, 30);
    await eventually(async () => {
      expect(await other.read('short')).toBeUndefined();
      expect(await other.lines('short log')).toEqual([]);
      expect(await other.claim('short places', 'another', 1, HOUR)).toBe(true);
    });
  });

  test('lines() has what came after a line, in order', async () => {
    const ids: string[] = [];
    for (const line of ['one', 'two', 'three']) ids.push(await store.append('log', line, HOUR));
    expect((await other.lines('log')).map(({ text }) => text)).toEqual(['one', 'two', 'three']);
    expect((await other.lines('log', ids[0])).map(({ id, text }) => [id, text])).toEqual([
      [ids[1], 'two'],
      [ids[2], 'three'],
    ]);
    expect(await other.lines('log', ids[2])).toEqual([]);
    expect(await other.lines('no log')).toEqual([]);
    expect(await other.lastLine('log')).toBe(ids[2]);
    expect(await other.lastLine('no log')).toBeUndefined();
  });

  test('count() adds up what all processes count, and starts anew in time', async () => {
    expect(await store.count('counter', 2, HOUR)).toBe(2);
    expect(await other.count('counter', 3, HOUR)).toBe(5);
    await store.count('short counter', 7, 20);
    await eventually(async () => expect(await other.count('short counter', 1, 20)).toBe(1));
  });

  test('claim() gives no more places than there are, and takes them back', async () => {
    expect(await store.claim('places', 'a', 2, HOUR)).toBe(true);
    expect(await other.claim('places', 'b', 2, HOUR)).toBe(true);
    expect(await store.claim('places', 'c', 2, HOUR)).toBe(false);
    expect(await store.claim('places', 'b', 2, HOUR)).toBe(true);
    await other.claim('places', 'a', 2, 0);
    expect(await store.claim('places', 'c', 2, HOUR)).toBe(true);
  });

  test('publish() reaches all who subscribed to the channel', async () => {
    const heard: (string | undefined)[] = [];
    const subscription = other.subscribe('channel', (text) => heard.push(text));
    await eventually(async () => {
      await store.publish('channel', 'news');
      expect(heard).toContain('news');
    });
    await store.publish('another channel', 'other news');
    expect(heard).not.toContain('other news');
    subscription.dispose();
  });

  test('all of many revocations that are made at once hold', async () => {
    const lists = Array.from({ length: 40 }, (_, index) => new Revocations(index % 2 === 0 ? store : other));
    await Promise.all(lists.map((list, index) => list.revoke('session', `one of many ${index}`)));
    const more = lists.map((_, index) => `of one ${index}`);
    await Promise.all(more.map((name) => lists[0]!.revoke('session', name)));
    using fresh = new Revocations(store);
    await fresh.settled();
    for (const [index, list] of lists.entries()) {
      expect(fresh.isRevoked('session', `one of many ${index}`)).toBe(true);
      expect(fresh.isRevoked('session', more[index]!)).toBe(true);
      list.dispose();
    }
  });

  test('a revocation is known everywhere, and can be lifted', async () => {
    using here = new Revocations(store);
    using there = new Revocations(other);
    await here.settled();
    await there.settled();
    await here.revoke('principal', 'someone');
    await here.revoke('handle', 'someone');
    await eventually(() => expect(there.isRevoked('handle', 'someone')).toBe(true));
    expect(there.isRevoked('session', 'someone')).toBe(false);
    expect(() => there.requireValid('principal', 'someone')).toThrow(/revoked/);
    await there.lift('principal', 'someone');
    await eventually(() => expect(here.isRevoked('principal', 'someone')).toBe(false));
    expect(here.isRevoked('handle', 'someone')).toBe(true);
  });
}

describe('MemoryStore', () => {
  const store = new MemoryStore();
  behavesAsStore(() => Promise.resolve(store));
});

const PROGRAMS: readonly RedisProgram[] = ['redis-server', 'valkey-server'];
describe.each(PROGRAMS.map((program) => [program] as const))('RedisStore with %s', (program) => {
  describe.skipIf(!isInstalled(program))('installed', () => {
    let redis: RedisServer;
    beforeAll(async () => {
      redis = await RedisServer.start(program);
    });
    afterAll(() => redis[Symbol.asyncDispose]());

    behavesAsStore(() => RedisStore.connect({ url: redis.url }));

    test('refuses what another version has stored', async () => {
      const url = new URL(redis.url);
      const client = createClient({ socket: { path: url.pathname, tls: false } });
      await client.connect();
      await client.set('other:format', '2');
      const opening = RedisStore.connect({ url: redis.url, prefix: 'other' });
      await expect(opening).rejects.toThrow(/its format is "2" instead of 1; use another database/);
      client.destroy();
    });

    test('refuses revocations that nobody of this version wrote', async () => {
      const store = await RedisStore.connect({ url: redis.url, prefix: 'garbage' });
      const garbage = [
        'garbage',
        '{"v":2,"entries":{}}',
        '[]',
        '{"v":1}',
        '{"v":1,"entries":3}',
        '{"v":1,"entries":[]}',
        '{"v":1,"entries":{"handle x":"soon"}}',
        '{"v":1,"entries":{"handle x":[9999999999999]}}',
        '{"v":1,"entries":{"handle x":[9999999999999,1,"gone"]}}',
      ];
      for (const text of garbage) {
        await store.replace('revoked', await store.read('revoked'), text, HOUR);
        using revocations = new Revocations(store);
        await revocations.settled();
        expect(() => revocations.requireValid('handle', 'any')).toThrow(RootwardMcpError);
        await expect(revocations.revoke('handle', 'any')).rejects.toThrow(/session store|not a list/);
      }
      await store.close();
    });

    test('says that it is down, and goes on when the server is back', async () => {
      await using server = await RedisServer.start(program);
      const states: (string | undefined)[] = [];
      const store = await RedisStore.connect({
        url: server.url,
        onDidChangeState: (problem) => states.push(problem),
      });
      const heard: (string | undefined)[] = [];
      store.subscribe('channel', (text) => heard.push(text));
      await store.replace('key', undefined, 'text', HOUR);
      await server.stop();
      await eventually(() => expect(store.ready).toBe(false));
      await expect(store.read('key')).rejects.toMatchObject({ code: 'store-unavailable' });
      await server.start();
      await eventually(() => expect(store.ready).toBe(true));
      expect(await store.read('key')).toBeUndefined();
      expect(heard).toContain(undefined);
      await eventually(async () => {
        await store.publish('channel', 'again');
        expect(heard).toContain('again');
      });
      expect(states.map((problem) => problem === undefined)).toEqual([true, false, true]);
      await store.close();
    });

    test('is not ready where the connection for revocations breaks while the server is checked', async () => {
      await using server = await RedisServer.start(program);
      const [socket, open] = [join(server.folder, 'redis.sock'), new Set<Socket>()];
      let isCut = false;
      let checked = false;
      const between = createServer((outer) => {
        const inner = connect(socket);
        open.add(outer);
        for (const each of [outer, inner]) each.on('error', () => undefined);
        outer.on('close', () => inner.destroy());
        inner.on('data', (data) => outer.write(data));
        outer.on('data', (data) => {
          if (data.includes('$4\r\nINFO') && !isCut) {
            isCut = true;
            between.close();
            // The check goes on when nothing but its own connection is left, and no other can be made.
            for (const each of open) if (each !== outer) each.destroy();
            setImmediate(() => inner.write(data));
          } else {
            if (data.includes('$3\r\nGET')) checked = true;
            inner.write(data);
          }
        });
      });
      const place = join(server.folder, 'between.sock');
      await new Promise<void>((resolve) => {
        between.listen(place, resolve);
      });
      const store = await RedisStore.connect({ url: `unix://${place}` });
      await eventually(() => expect(checked).toBe(true));
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
      expect(store.ready).toBe(false);
      between.listen(place);
      await eventually(() => expect(store.ready).toBe(true));
      await store.close();
      between.close();
    });

    test('starts without a server, and uses it once it is there', async () => {
      await using server = await RedisServer.start(program);
      await server.stop();
      const store = await RedisStore.connect({ url: server.url });
      expect(store.ready).toBe(false);
      await server.start();
      await eventually(() => expect(store.ready).toBe(true));
      await store.close();
    });

    test('needs the password that the server asks for', async () => {
      await using server = await RedisServer.start(program, ['--requirepass', 'sesame']);
      const store = await RedisStore.connect({ url: server.url });
      expect(store.ready).toBe(false);
      await expect(store.read('key')).rejects.toThrow(/NOAUTH|Authentication/i);
      await store.close();
      const known = await RedisStore.connect({ url: server.url, password: 'sesame' });
      expect(known.ready).toBe(true);
      await known.close();
    });
  });
});
