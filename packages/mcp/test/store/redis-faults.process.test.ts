import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createClient } from '@redis/client';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Revocations } from '../../src/index.js';
import { RedisStore } from '../../src/redis.js';
import { isInstalled, RedisServer, STORE_PROGRAM } from '../../../../testing/redis-server.js';
import { eventually } from '../../../../testing/eventually.js';

const HOUR = 3_600_000;

/** Speaks to the server behind the back of the store. */
async function admin(server: RedisServer) {
  const socket = { path: join(server.folder, 'redis.sock'), tls: false, reconnectStrategy: false } as const;
  const client = createClient({ socket }).on('error', () => undefined);
  await client.connect();
  onTestFinished(() => client.destroy());
  return client;
}

async function open(url: string): Promise<RedisStore> {
  const store = await RedisStore.connect({ url });
  onTestFinished(() => store.close());
  return store;
}

/** What stands between a store and its server, and may keep to itself what it gets. */
class Between {
  readonly url: string;
  /** Which bytes of a client are kept, from then on for its whole connection. */
  keeps: (data: Buffer) => boolean = () => false;
  readonly #server: Server;
  readonly #kept = new Map<Socket, (() => void)[]>();

  constructor(redis: RedisServer) {
    const place = join(redis.folder, 'between.sock');
    this.url = `unix://${place}`;
    this.#server = createServer((outer) => {
      const inner = connect(join(redis.folder, 'redis.sock'));
      for (const each of [outer, inner]) each.on('error', () => undefined);
      outer.on('close', () => inner.destroy());
      inner.on('close', () => outer.destroy());
      inner.on('data', (data) => outer.write(data));
      outer.on('data', (data) => {
        const kept = this.#kept.get(outer);
        if (kept !== undefined) kept.push(() => inner.write(data));
        else if (this.keeps(data)) this.#kept.set(outer, [() => inner.write(data)]);
        else inner.write(data);
      });
    }).listen(place);
    onTestFinished(() => {
      this.#server.close();
      for (const outer of this.#kept.keys()) outer.destroy();
    });
  }

  get hasKept(): boolean {
    return this.#kept.size > 0;
  }

  passOn(): void {
    this.keeps = () => false;
    for (const kept of this.#kept.values()) for (const act of kept) act();
    this.#kept.clear();
  }
}

describe.skipIf(!isInstalled(STORE_PROGRAM))(`RedisStore with a ${STORE_PROGRAM} that`, () => {
  test('hangs says so without being asked, and goes on when the server does', async () => {
    await using server = await RedisServer.start();
    const store = await open(server.url);
    using revocations = new Revocations(store);
    await eventually(() => revocations.requireValid('handle', 'any'));
    server.signal('SIGSTOP');
    const waiting: Promise<unknown>[] = [];
    await eventually(() => {
      waiting.push(store.read('key').catch(String));
      expect(store.ready).toBe(false);
    });
    // Also to those whose connection is given up before their time is over.
    for (const answer of waiting) expect(await answer).toContain('no answer');
    expect(() => revocations.requireValid('handle', 'any')).toThrow(/the session store cannot be used/);
    await expect(store.read('key')).rejects.toThrow(/no answer/);
    server.signal('SIGCONT');
    await eventually(() => expect(store.ready).toBe(true));
    await eventually(() => revocations.requireValid('handle', 'any'));
  });

  test('no longer reaches the connection for revocations says so', async () => {
    await using server = await RedisServer.start();
    const between = new Between(server);
    const store = await open(between.url);
    using revocations = new Revocations(store);
    await revocations.settled();
    using elsewhere = new Revocations(await open(server.url));
    let subscriber = false;
    // It asks nothing but whether the server is there.
    between.keeps = (data) => /\$9\r\nsubscribe|\$4\r\nPING/i.test(String(data)) && (subscriber = true);
    await eventually(() => expect(subscriber).toBe(true));
    await eventually(() => expect(store.ready).toBe(false));
    await elsewhere.revoke('handle', 'stolen');
    expect(() => revocations.requireValid('handle', 'stolen')).toThrow(/handle/);
    between.passOn();
    await eventually(() => expect(revocations.isRevoked('handle', 'stolen')).toBe(true));
    await eventually(() => expect(store.ready).toBe(true));
  });

  test('hears of a subscription late tells what may have been missed', async () => {
    await using server = await RedisServer.start();
    const between = new Between(server);
    between.keeps = (data) => /subscribe/i.test(String(data));
    const store = await open(between.url);
    using revocations = new Revocations(store);
    await revocations.settled();
    await eventually(() => expect(between.hasKept).toBe(true));
    using elsewhere = new Revocations(await open(server.url));
    await elsewhere.revoke('session', 'stolen');
    between.passOn();
    await eventually(() => expect(revocations.isRevoked('session', 'stolen')).toBe(true));
  });

  test('is a replica is not used until it is one no longer', async () => {
    await using server = await RedisServer.start(STORE_PROGRAM, ['--replicaof', '127.0.0.1 1']);
    const store = await open(server.url);
    expect(store.ready).toBe(false);
    await expect(store.read('key')).rejects.toThrow(/it is a replica/);
    const client = await admin(server);
    await client.sendCommand(['REPLICAOF', 'NO', 'ONE']);
    await eventually(() => expect(store.ready).toBe(true));
    expect(await store.replace('key', undefined, 'text', HOUR)).toBe(true);
  });

  test('becomes a replica is not used until it is one no longer', async () => {
    await using server = await RedisServer.start();
    const store = await open(server.url);
    using revocations = new Revocations(store);
    await revocations.settled();
    const client = await admin(server);
    await client.sendCommand(['REPLICAOF', '127.0.0.1', '1']);
    await eventually(() => expect(store.ready).toBe(false));
    expect(() => revocations.requireValid('handle', 'any')).toThrow(/the session store cannot be used/);
    await expect(store.read('key')).rejects.toThrow(/it is a replica/);
    await client.sendCommand(['REPLICAOF', 'NO', 'ONE']);
    await eventually(() => expect(store.ready).toBe(true));
    await eventually(() => revocations.requireValid('handle', 'any'));
  });

  test('refuses to write is not used until it writes again', async () => {
    await using server = await RedisServer.start();
    const states: (string | undefined)[] = [];
    const store = await RedisStore.connect({
      url: server.url,
      onDidChangeState: (each) => states.push(each),
    });
    onTestFinished(() => store.close());
    await store.replace('key', undefined, 'text', HOUR);
    const client = await admin(server);
    await client.configSet({ 'min-replicas-to-write': '1' });
    const refused = store.replace('key', 'text', 'other', HOUR);
    await expect(refused).rejects.toThrow(
      /^Cannot use the session store: it lacks replicas to write to \(NOREPLICAS\)$/,
    );
    expect(store.ready).toBe(false);
    // The operator reads what the server said.
    expect(states.at(-1)).toMatch(/^it lacks replicas to write to \(NOREPLICAS Not enough.*\)$/);
    await client.configSet({ 'min-replicas-to-write': '0' });
    await eventually(() => expect(store.ready).toBe(true));
  });

  test('has no memory left is used for reading, and its reason is told', async () => {
    await using server = await RedisServer.start();
    const before = await open(server.url);
    await before.replace('key', undefined, 'text', HOUR);
    const client = await admin(server);
    await client.configSet({ maxmemory: '1', 'maxmemory-policy': 'noeviction' });
    const store = await open(server.url);
    expect(await store.read('key')).toBe('text');
    const full = /^Cannot use the session store: its memory is full \(OOM\)$/;
    await expect(store.replace('other', undefined, 'text', HOUR)).rejects.toThrow(full);
    await expect(store.replace('key', 'text', 'other', HOUR)).rejects.toThrow(full);
    await expect(store.count('counter', 1, HOUR)).rejects.toThrow(full);
    await expect(store.append('log', 'line', HOUR)).rejects.toThrow(full);
    // It is checked again and again meanwhile.
    const refusals = async () =>
      Number(/cmdstat_set:.*rejected_calls=(\d+)/.exec(await client.info('commandstats'))?.[1]);
    const atFirst = await refusals();
    await eventually(async () => expect(await refusals()).toBeGreaterThan(atFirst + 1));
    expect([before, store].map(({ ready, isFull }) => [ready, isFull])).toEqual([
      [true, true],
      [true, true],
    ]);
    expect(await store.read('key')).toBe('text');
    await client.configSet('maxmemory', '0');
    expect(await store.replace('other', undefined, 'text', HOUR)).toBe(true);
    await eventually(() => expect(store.isFull).toBe(false));
  });

  test('lets a user do too little is not used until the user may do more', async () => {
    await using server = await RedisServer.start();
    const client = await admin(server);
    await client.aclSetUser('few', ['on', '>sesame', '~*', '&*', '+@all', '-subscribe']);
    const store = await RedisStore.connect({ url: server.url, username: 'few', password: 'sesame' });
    onTestFinished(() => store.close());
    store.subscribe('channel', () => undefined);
    await eventually(() => expect(store.ready).toBe(false));
    await expect(store.read('key')).rejects.toThrow(/NOPERM/);
    await client.aclSetUser('few', ['+subscribe']);
    await eventually(() => expect(store.ready).toBe(true));
  });

  test('removes keys without an end when its memory is full is refused', async () => {
    await using server = await RedisServer.start(STORE_PROGRAM, [
      '--maxmemory',
      '100mb',
      '--maxmemory-policy',
      'allkeys-lru',
    ]);
    await expect(RedisStore.connect({ url: server.url })).rejects.toThrow(
      /it removes any key when its memory is full \(allkeys-lru\), revocations too; use noeviction/,
    );
  });

  test('removes keys that have an end when its memory is full keeps what was revoked', async () => {
    await using server = await RedisServer.start(STORE_PROGRAM, [
      '--maxmemory',
      '100mb',
      '--maxmemory-policy',
      'volatile-ttl',
    ]);
    const store = await open(server.url);
    using revocations = new Revocations(store);
    await revocations.revoke('principal', 'someone');
    await store.replace('key', undefined, 'text', HOUR);
    const client = await admin(server);
    expect(await client.pTTL('rootward:1:revoked')).toBe(-1);
    await client.configSet('maxmemory', '1');
    await client.set('more', 'x').catch(() => undefined);
    expect(await store.read('key')).toBeUndefined();
    using fresh = new Revocations(await open(server.url));
    await fresh.settled();
    expect(fresh.isRevoked('principal', 'someone')).toBe(true);
  });

  test('forgot everything gets back what was revoked from those who know', async () => {
    await using server = await RedisServer.start();
    const store = await open(server.url);
    using revocations = new Revocations(store);
    await revocations.revoke('principal', 'someone');
    await revocations.revoke('principal', 'forgiven');
    await revocations.lift('principal', 'forgiven');
    await server.stop();
    await eventually(() => expect(store.ready).toBe(false));
    await server.start();
    await eventually(() => expect(store.ready).toBe(true));
    expect(revocations.isRevoked('principal', 'someone')).toBe(true);
    const later = await open(server.url);
    await eventually(async () => {
      using fresh = new Revocations(later);
      await fresh.settled();
      expect(fresh.isRevoked('principal', 'someone')).toBe(true);
      expect(fresh.isRevoked('principal', 'forgiven')).toBe(false);
    });
    using fresh = new Revocations(later);
    await fresh.lift('principal', 'someone');
    await eventually(() => expect(revocations.isRevoked('principal', 'someone')).toBe(false));
  });

  test('refuses the password says so once, and can be left', async () => {
    await using server = await RedisServer.start(STORE_PROGRAM, ['--requirepass', 'sesame']);
    const states: (string | undefined)[] = [];
    const store = await RedisStore.connect({
      url: server.url,
      password: 'wrong',
      onDidChangeState: (each) => states.push(each),
    });
    await expect(store.read('key')).rejects.toThrow(/WRONGPASS/);
    // With the words of the server.
    expect(states).toEqual([expect.stringMatching(/^it refuses the password \(WRONGPASS invalid.*\)$/)]);
    await store.close();
    await store.close();
  });

  test('comes back with another password says so, after it said that the connection broke off', async () => {
    await using server = await RedisServer.start(STORE_PROGRAM);
    const states: (string | undefined)[] = [];
    const store = await RedisStore.connect({
      url: server.url,
      onDidChangeState: (each) => states.push(each),
    });
    onTestFinished(() => store.close());
    const client = await admin(server);
    await client.configSet('requirepass', 'sesame');
    await client.sendCommand(['CLIENT', 'KILL', 'TYPE', 'normal']);
    await eventually(() =>
      expect(states).toEqual([
        undefined,
        'it closed the connection (Socket closed unexpectedly)',
        expect.stringMatching(/^it asks for a password \(NOAUTH .*\)$/),
      ]),
    );
  });
});
