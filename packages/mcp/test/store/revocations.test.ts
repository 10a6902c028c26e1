import type { AuthInfo } from '@modelcontextprotocol/server';
import { expect, onTestFinished, test, vi } from 'vitest';
import { MemoryStore, Revocations, RootwardMcpError } from '../../src/index.js';
import { createInstance } from '../fixtures/instances.js';
import { eventually } from '../../../../testing/eventually.js';

const KEY = 'revoked';
const down = new RootwardMcpError('store-unavailable', 'Cannot use the session store: no answer');

function open(store: MemoryStore): Revocations {
  const revocations = new Revocations(store);
  onTestFinished(() => revocations.dispose());
  return revocations;
}

test('Revocations reads its list again where that failed once', async () => {
  const store = new MemoryStore();
  const [here, there] = [open(store), open(store)];
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
  const revocations = open(store);
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

test('Revocations that are made at once are all kept', async () => {
  const store = new MemoryStore();
  const all = ['a', 'b', 'c', 'd'].map((name) => ({ name, list: open(store) }));
  await Promise.all(all.map(({ name, list }) => list.revoke('session', name)));
  for (const { name, list } of all) {
    for (const other of all) await eventually(() => expect(other.list.isRevoked('session', name)).toBe(true));
    expect(list.isRevoked('session', name)).toBe(true);
  }
});

test('nobody with a token is served before it was read what was revoked', async () => {
  const store = new MemoryStore();
  const before = open(store);
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
  vi.spyOn(store, 'read').mockRejectedValue(down);
  await store.publish(KEY, '');
  expect(await ask(owner!)).toBe(200);
  expect(await ask(thief!)).toBe(401);
});
