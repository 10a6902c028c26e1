import type { AuthInfo } from '@modelcontextprotocol/server';
import { Deferred } from '@rootward/core/platform';
import { expect, onTestFinished, test, vi } from 'vitest';
import { MemoryStore, Revocations, RootwardMcpError } from '../../src/index.js';
import { keyDigest } from '../../src/store/session-store.js';
import { createInstance } from '../fixtures/instances.js';
import { command, openRevocations } from '../fixtures/revocations.js';
import { eventually } from '../../../../testing/eventually.js';
import { FakeClock } from '../../../../testing/fake-clock.js';

const KEY = 'revoked';
const HOUR = 3_600_000;
const down = new RootwardMcpError('store-unavailable', 'Cannot use the session store: no answer');

async function hasLifted(store: MemoryStore): Promise<boolean> {
  return (await store.read(KEY))?.includes('lifted') === true;
}

/** Nothing can be read, and nobody says that the store cannot be used. */
function keepFromReading(store: MemoryStore): () => void {
  const spies = (['read', 'readStart'] as const).map((name) => vi.spyOn(store, name).mockRejectedValue(down));
  return () => {
    for (const spy of spies) spy.mockRestore();
  };
}

test('Revocations reads its list again where that failed once', async () => {
  const store = new MemoryStore();
  const [here, there] = [openRevocations(store), openRevocations(store)];
  await Promise.all([here.settled(), there.settled()]);
  // Whoever is told of the change cannot read it at first.
  const publish = vi.spyOn(store, 'publish').mockImplementationOnce((...args) => {
    vi.spyOn(store, 'read').mockRejectedValueOnce(down).mockRejectedValueOnce(down);
    return store.publish(...args);
  });
  await here.revoke('session', 'stolen');
  expect(publish).toHaveBeenCalled();
  await eventually(() => {
    for (const each of [here, there]) {
      expect(() => each.requireValid('session', 'stolen')).toThrow(/it was revoked/);
    }
  });
});

test('Revocations reports once that it cannot read its list', async () => {
  const store = new MemoryStore();
  const read = vi.spyOn(store, 'read').mockRejectedValue(down);
  const onerror = vi.fn<(error: unknown) => void>();
  using revocations = new Revocations(store, onerror);
  await eventually(() => expect(read.mock.calls.length).toBeGreaterThan(2));
  expect(onerror).toHaveBeenCalledOnce();
  expect(() => revocations.requireValid('handle', 'any')).toThrow(/Cannot tell whether/);
});

test('Revocations keeps what it knows where the store is emptied or goes back, and gives it back', async () => {
  const store = new MemoryStore();
  const revocations = openRevocations(store);
  await revocations.revoke('principal', 'first');
  const earlier = await store.read(KEY);
  await revocations.revoke('principal', 'second');
  await revocations.lift('principal', 'first');
  for (const text of [undefined, earlier]) {
    await store.replace(KEY, await store.read(KEY), text, Infinity);
    await store.publish(KEY, '');
    await eventually(async () => {
      const fresh = new Revocations(store);
      await fresh.settled();
      fresh.dispose();
      expect(['first', 'second'].map((name) => fresh.isRevoked('principal', name))).toEqual([false, true]);
    });
    expect(revocations.isRevoked('principal', 'second')).toBe(true);
  }
});

test('Revocations holds what is revoked again after it was lifted and nobody keeps that in mind', async () => {
  const clock = new FakeClock();
  const store = new MemoryStore(clock);
  const instance = openRevocations(store);
  await command(store, (revocations) => revocations.revoke('principal', 'someone'));
  await command(store, (revocations) => revocations.lift('principal', 'someone'));
  await instance.settled();
  clock.advance(25 * HOUR);
  const later = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 25 * HOUR);
  onTestFinished(() => later.mockRestore());
  await command(store, (revocations) => revocations.revoke('principal', 'someone'));
  await eventually(() => expect(instance.isRevoked('principal', 'someone')).toBe(true));
});

test('Revocations holds what is revoked again after it was lifted and the store was emptied', async () => {
  const clock = new FakeClock();
  const store = new MemoryStore(clock);
  const instance = openRevocations(store);
  await command(store, (revocations) => revocations.revoke('principal', 'someone'));
  await command(store, (revocations) => revocations.lift('principal', 'someone'));
  await eventually(() => expect(hasLifted(store)).resolves.toBe(true));
  await instance.settled();
  clock.advance(1);
  // By somebody who knows of nothing earlier.
  const only = new MemoryStore(clock);
  await command(only, (revocations) => revocations.revoke('principal', 'someone'));
  await store.replace(KEY, await store.read(KEY), await only.read(KEY), Infinity);
  await store.publish(KEY, '');
  await eventually(() => expect(instance.isRevoked('principal', 'someone')).toBe(true));
  expect(await hasLifted(store)).toBe(false);
});

test('Revocations puts back what a store forgot without a word, for those who start then', async () => {
  const store = new MemoryStore();
  const instance = openRevocations(store);
  await instance.revoke('principal', 'someone');
  await instance.settled();
  await store.replace(KEY, await store.read(KEY), undefined, Infinity);
  const fresh = openRevocations(store);
  await eventually(() => expect(fresh.isRevoked('principal', 'someone')).toBe(true));
});

test('Revocations finds what was revoked by somebody who died before telling', async () => {
  const store = new MemoryStore();
  const instance = openRevocations(store);
  await instance.settled();
  vi.spyOn(store, 'publish').mockResolvedValue();
  await command(store, (revocations) => revocations.revoke('session', 'stolen'));
  await eventually(() => expect(instance.isRevoked('session', 'stolen')).toBe(true));
});

test('Revocations refuses handles while its list cannot be read', async () => {
  const store = new MemoryStore();
  const instance = openRevocations(store);
  await instance.settled();
  instance.requireValid('handle', 'stolen');
  const letRead = keepFromReading(store);
  await eventually(() => expect(() => instance.requireValid('handle', 'stolen')).toThrow(/Cannot tell/));
  letRead();
  await command(store, (revocations) => revocations.revoke('handle', 'stolen'));
  await eventually(() => expect(() => instance.requireValid('handle', 'stolen')).toThrow(/it was revoked/));
});

test('Revocations refuses handles after an outage until it has read its list again', async () => {
  const store = new MemoryStore();
  const subscribe = vi.spyOn(store, 'subscribe');
  const instance = openRevocations(store);
  await instance.settled();
  const [[, tell]] = subscribe.mock.calls as [Parameters<MemoryStore['subscribe']>];
  const [late, again] = [new Deferred<string>(), new Deferred<string>()];
  const read = vi
    .spyOn(store, 'readStart')
    .mockReturnValueOnce(late.promise)
    .mockReturnValueOnce(again.promise);
  // Still on its way when the connection was lost.
  tell('');
  const before = instance.settled();
  tell(undefined);
  expect(read).toHaveBeenCalledTimes(2);
  late.resolve('');
  await before;
  expect(() => instance.requireValid('handle', 'any')).toThrow(/Cannot tell/);
  again.resolve('');
  await instance.settled();
  instance.requireValid('handle', 'any');
});

test('Revocations tells of a list that is another one, not of the same one read again', async () => {
  const store = new MemoryStore();
  const instance = openRevocations(store);
  await instance.revoke('session', 'first');
  await instance.settled();
  const listener = vi.fn<() => void>();
  instance.onDidChange(listener);
  const read = vi.spyOn(store, 'readStart');
  await eventually(() => expect(read.mock.calls.length).toBeGreaterThan(2));
  expect(listener).not.toHaveBeenCalled();
  await instance.lift('session', 'first');
  expect(listener).toHaveBeenCalledOnce();
});

test('Revocations reads its list only where it changed', async () => {
  const store = new MemoryStore();
  await command(store, (revocations) => revocations.revoke('session', 'first'));
  const instance = openRevocations(store);
  await instance.settled();
  const [look, read] = [vi.spyOn(store, 'readStart'), vi.spyOn(store, 'read')];
  await eventually(() => expect(look.mock.calls.length).toBeGreaterThan(2));
  expect(read).not.toHaveBeenCalled();
  vi.spyOn(store, 'publish').mockResolvedValue();
  await command(store, (revocations) => revocations.revoke('session', 'second'));
  await eventually(() => expect(instance.isRevoked('session', 'second')).toBe(true));
});

test('Revocations finds what an earlier version, or a hand, changed in its list', async () => {
  const store = new MemoryStore();
  await command(store, (revocations) => revocations.revoke('session', 'first'));
  const first = (await store.read(KEY))!;
  await command(store, (revocations) => revocations.revoke('session', 'second'));
  const both = (await store.read(KEY))!;
  const { entries } = JSON.parse(both) as { entries: object };
  // With the start of one list, and the entries of another.
  const forged = first.slice(0, first.indexOf('"entries"')) + both.slice(both.indexOf('"entries"'));
  for (const text of [JSON.stringify({ entries, v: 1 }), forged]) {
    await store.replace(KEY, await store.read(KEY), text, Infinity);
    const instance = openRevocations(store);
    await instance.settled();
    expect(instance.isRevoked('session', 'second')).toBe(true);
    const more = { ...entries, [`session ${keyDigest('third')}`]: [Number.MAX_SAFE_INTEGER, 1] };
    const start = text.slice(0, text.indexOf('"entries"'));
    const after = `${start}"entries":${JSON.stringify(more)},"v":1}`;
    await store.replace(KEY, text, after, Infinity);
    await eventually(() => expect(instance.isRevoked('session', 'third')).toBe(true));
  }
});

test('Revocations puts back what it knows once that can be written', async () => {
  const store = new MemoryStore();
  const other = new MemoryStore();
  await command(other, (revocations) => revocations.revoke('session', 'other'));
  const instance = openRevocations(store);
  await instance.revoke('session', 'first');
  const [first, theirs] = [await store.read(KEY), await other.read(KEY)];
  await store.replace(KEY, first, theirs, Infinity);
  const replace = vi.spyOn(store, 'replace').mockRejectedValue(down);
  await eventually(() => expect(instance.isRevoked('session', 'other')).toBe(true));
  replace.mockRestore();
  // The store goes back to what the instance had read before.
  await store.replace(KEY, theirs, first, Infinity);
  await eventually(async () => {
    const fresh = openRevocations(store);
    await fresh.settled();
    expect(fresh.isRevoked('session', 'other')).toBe(true);
  });
});

test('Revocations that are made at once are all kept', async () => {
  const store = new MemoryStore();
  const all = ['a', 'b', 'c', 'd'].map((name) => ({ name, list: openRevocations(store) }));
  await Promise.all(all.map(({ name, list }) => list.revoke('session', name)));
  for (const { name, list } of all) {
    for (const other of all) await eventually(() => expect(other.list.isRevoked('session', name)).toBe(true));
    expect(list.isRevoked('session', name)).toBe(true);
  }
});

test('nobody with a token is served before it was read what was revoked', async () => {
  const store = new MemoryStore();
  const before = openRevocations(store);
  await before.revoke('principal', 'thief');
  const read = vi.spyOn(store, 'read').mockRejectedValue(down);
  const handler = createInstance(store, '/');
  onTestFinished(() => handler.close());
  const ask = async (authInfo: AuthInfo): Promise<number> => {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/list',
    };
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } });
    const request = new Request('http://localhost/mcp', { method: 'POST', headers, body });
    const response = await handler.fetch(request, { authInfo });
    await response.text();
    return response.status;
  };
  const [thief, owner] = ['thief', 'owner'].map((clientId) => ({ token: '', clientId, scopes: [] }));
  expect(await ask(thief!)).toBe(503);
  expect(await ask(owner!)).toBe(503);
  read.mockRestore();
  await eventually(async () => expect(await ask(owner!)).toBe(200));
  expect(await ask(thief!)).toBe(401);
  // From then on what is known holds.
  keepFromReading(store);
  await store.publish(KEY, '');
  expect(await ask(owner!)).toBe(200);
  expect(await ask(thief!)).toBe(401);
});

test('a session without a token is not served before it was read what was revoked', async () => {
  const store = new MemoryStore();
  const [first, second] = [createInstance(store, '/'), createInstance(store, '/')];
  onTestFinished(async () => void (await Promise.all([first.close(), second.close()])));
  const ask = (
    handler: typeof first,
    method: string,
    params: object,
    session?: string,
  ): Promise<Response> => {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(session !== undefined && { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }),
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    return handler.fetch(new Request('http://localhost/mcp', { method: 'POST', headers, body }));
  };
  const opened = await ask(first, 'initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 't', version: '1' },
  });
  await opened.text();
  const session = opened.headers.get('mcp-session-id')!;
  const status = async (handler: typeof first): Promise<number> => {
    const response = await ask(handler, 'ping', {}, session);
    await response.text();
    return response.status;
  };
  expect(await status(second)).toBe(200);
  await command(store, (revocations) => revocations.revoke('session', session));
  const list = await store.read(KEY);
  await store.replace(KEY, list, 'garbage', Infinity);
  const fresh = createInstance(store, '/');
  onTestFinished(() => fresh.close());
  expect(await status(fresh)).toBe(503);
  await store.replace(KEY, 'garbage', list, Infinity);
  await eventually(async () => expect(await status(fresh)).toBe(404));
});
