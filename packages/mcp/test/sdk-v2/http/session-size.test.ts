import { McpServer } from '@modelcontextprotocol/server';
import { expect, test, vi } from 'vitest';
import { createWorkspaceHandler, MemoryStore, type WorkspaceHandler } from '../../../src/index.js';
import { createInstance } from '../../fixtures/instances.js';
import { RawHttpClient } from '../../fixtures/raw-http-client.js';
import { temporaryFolder } from '../../../../../testing/temporary-folders.js';

const { top } = temporaryFolder('size');

const PATIENCE_MS = 60_000;
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

function initialize(text: string, more: Record<string, unknown> = {}): string {
  const capabilities = { experimental: { text: { text } } };
  const params = { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'x', version: '1' } };
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { ...params, ...more } });
}

const factory = (): McpServer => new McpServer({ name: 'x', version: '1' });

function open({ fetch }: WorkspaceHandler, body: string, headers: Record<string, string> = {}) {
  const init = { method: 'POST', headers: { ...HEADERS, ...headers }, body };
  return fetch(new Request('http://localhost/mcp', init));
}

test.each(['with', 'without'])(
  'a client that says more of itself than is kept opens no session, %s a store',
  async (kind) => {
    const store = new MemoryStore();
    const replace = vi.spyOn(store, 'replace');
    const handler = kind === 'with' ? createInstance(store, top) : createWorkspaceHandler(factory);
    const body = initialize('x'.repeat(70_000));
    for (const headers of [{}, { 'content-length': String(body.length) }]) {
      const response = await open(handler, body, headers);
      expect([response.status, await response.text()]).toEqual([413, expect.stringContaining('64 KB')]);
    }
    expect(handler.sessions).toBe(0);
    expect(replace).not.toHaveBeenCalled();
    expect((await open(handler, initialize('x'.repeat(50_000)))).status).toBe(200);
    await handler.close();
  },
);

test('a client whose introduction is nested too deeply opens no session, and is told so', async () => {
  const handler = createWorkspaceHandler(factory);
  const depth = 15_000;
  const deep = initialize('DEEP').replace('"DEEP"', '['.repeat(depth) + ']'.repeat(depth));
  const response = await open(handler, deep);
  expect([response.status, await response.text()]).toEqual([
    400,
    expect.stringContaining('nested too deeply'),
  ]);
  expect(handler.sessions).toBe(0);
  await handler.close();
});

test('only what servers know a client by is kept of how it introduced itself', async () => {
  const store = new MemoryStore();
  const replace = vi.spyOn(store, 'replace');
  const handler = createInstance(store, top);
  await (await open(handler, initialize('', { _meta: { text: 'left out' }, other: 'left out' }))).text();
  const [, , record] = replace.mock.calls.find(([key]) => key.startsWith('session:'))!;
  expect(record).toContain('clientInfo');
  expect(record).not.toContain('left out');
  await handler.close();
});

test('ten thousand roots of usual lengths are stored', async () => {
  const store = new MemoryStore();
  const options = { readyTimeout: PATIENCE_MS };
  const all = [createInstance(store, top, options), createInstance(store, top, options)];
  const roots = Array.from({ length: 10_000 }, (_, index) => ({
    uri: `file://${top}/projects/of-somebody/and-a-folder-with-a-name-${index}`,
  }));
  const client = new RawHttpClient(all[0]!.fetch, { roots: () => [...roots, { uri: `file://${top}` }] });
  await client.connect();
  await client.callTool('roots');
  const other = new RawHttpClient(all[1]!.fetch);
  other.session = client.session;
  expect((await other.post({ jsonrpc: '2.0', id: 9, method: 'ping' })).status).toBe(200);
  await Promise.all(all.map((each) => each.close()));
});

test('a session whose roots are too many to be stored says so and ends in every process', async () => {
  const store = new MemoryStore();
  // They have to be looked up before the call is over, also on a busy machine.
  const options = { limits: { sessions: 1 }, readyTimeout: PATIENCE_MS };
  const all = [createInstance(store, top, options), createInstance(store, top, options)];
  const roots = Array.from({ length: 10_000 }, (_, index) => ({
    uri: `file://${top}/${'missing-'.repeat(30)}${index}`,
  }));
  const client = new RawHttpClient(all[0]!.fetch, { roots: () => roots });
  await client.connect();
  await expect(client.callTool('roots')).rejects.toThrow(/takes \d+ KB .* at most 2048 KB/);
  const other = new RawHttpClient(all[1]!.fetch);
  other.session = client.session;
  for (const each of [client, other]) {
    expect((await each.post({ jsonrpc: '2.0', id: 1, method: 'ping' })).status).toBe(404);
  }
  // It has no place among the sessions of its principal any more.
  await new RawHttpClient(all[1]!.fetch).connect();
  await Promise.all(all.map((each) => each.close()));
});
