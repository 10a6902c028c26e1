import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AuthInfo } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { createWorkspaceHandler } from '../../../src/index.js';
import type { WorkspaceHandler, WorkspaceHandlerOptions, WorkspaceOptions } from '../../../src/index.js';
import { modernMeta } from '../../../src/testing/modern.js';
import { RawHttpClient } from '../../fixtures/raw-http-client.js';
import { createFactory } from '../../fixtures/roots-server.mjs';
import { makeFolders } from '../../../../../testing/temporary-folders.js';

const roots = makeFolders('a', 'b', 'operator');
/** Whoever waits for an answer here waits for ever, and the test with it. */
const PATIENT = { readyTimeout: 3_600_000, answerTimeout: 3_600_000 };

function serve(
  options: WorkspaceHandlerOptions = {},
  limits = PATIENT,
  workspace: WorkspaceOptions = {},
): WorkspaceHandler {
  return createWorkspaceHandler(createFactory(limits, workspace), options);
}

const list = (name: 'a' | 'b') => [{ uri: roots.uri(name) }];
const looked = (n: number, ...paths: string[]) => ({ n, before: paths, after: paths });

test('a client that never opens its GET stream is asked inside its own call', async () => {
  const handler = serve();
  const client = new RawHttpClient(handler.fetch, { roots: () => list('a') });
  await client.connect();
  expect(client.asked).toBe(0);
  expect(await client.callTool('look', { n: 1 })).toEqual(looked(1, roots.path('a')));
  expect(await client.callTool('look', { n: 2 })).toEqual(looked(2, roots.path('a')));
  expect(client.asked).toBe(1);
  await handler.close();
});

test('a client that opens its GET stream late is still asked inside its call', async () => {
  const handler = serve();
  const client = new RawHttpClient(handler.fetch, { roots: () => list('a') });
  await client.connect();
  await client.callTool('look', { n: 1 });
  const abort = new AbortController();
  const stream = await client.listen(abort.signal);
  await client.notify('notifications/roots/list_changed');
  expect(client.asked).toBe(1);
  expect(await client.callTool('look', { n: 2 })).toEqual(looked(2, roots.path('a')));
  expect(client.asked).toBe(2);
  expect(stream.messages).toBe(0);
  abort.abort();
  await handler.close();
});

test('a client that never answers makes one call wait, and no other', async () => {
  const handler = serve({}, { readyTimeout: 50, answerTimeout: 3_600_000 });
  const client = new RawHttpClient(handler.fetch, { roots: () => undefined });
  await client.connect();
  for (const n of [1, 2, 3]) expect(await client.callTool('look', { n })).toEqual(looked(n));
  expect(client.asked).toBe(1);
  await handler.close();
});

test('with JSON responses nobody is asked, and nobody waits', async () => {
  const handler = serve({ jsonResponse: true });
  const client = new RawHttpClient(handler.fetch, { roots: () => list('a') });
  await client.connect();
  expect(await client.callTool('look', { n: 1 })).toEqual(looked(1));
  expect(client.asked).toBe(0);
  await handler.close();
});

test('list_changed marks roots as stale: the next call asks', async () => {
  let current: 'a' | 'b' = 'a';
  const handler = serve();
  const client = new RawHttpClient(handler.fetch, { roots: () => list(current) });
  await client.connect();
  await client.callTool('look', { n: 1 });
  current = 'b';
  await client.notify('notifications/roots/list_changed');
  expect(client.asked).toBe(1);
  expect(await client.callTool('look', { n: 2 })).toEqual(looked(2, roots.path('b')));
  expect(client.asked).toBe(2);
  await handler.close();
});

test('a call whose stream the client drops does not keep others from asking', async () => {
  let answers = false;
  const handler = serve();
  const client = new RawHttpClient(handler.fetch, { roots: () => (answers ? list('a') : undefined) });
  await client.connect();
  const call = { name: 'look', arguments: { n: 1 } };
  const dropped = await client.post({ jsonrpc: '2.0', id: 'x', method: 'tools/call', params: call });
  await dropped.body!.getReader().read();
  await client.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'x' } });
  answers = true;
  expect(await client.callTool('look', { n: 2 })).toEqual(looked(2, roots.path('a')));
  await handler.close();
});

const SESSIONS = 1000;
const own = (i: number): string => join(roots.top, `session-${String(i)}`);

test('1,000 sessions with roots of their own, at random, never see each other’s', async () => {
  const handler = serve();
  const clients = Array.from({ length: SESSIONS }, (_, i) => {
    mkdirSync(own(i));
    return new RawHttpClient(handler.fetch, { roots: () => [{ uri: pathToFileURL(own(i)).href }] });
  });
  await Promise.all(clients.map((client) => client.connect()));
  expect(handler.sessions).toBe(SESSIONS);
  const order = Array.from({ length: SESSIONS * 2 }, (_, n) => n).sort(() => Math.random() - 0.5);
  const seen = await Promise.all(order.map((n) => clients[n % SESSIONS]!.callTool('look', { n })));
  expect(seen).toEqual(order.map((n) => looked(n, own(n % SESSIONS))));
  expect(clients.map(({ asked }) => asked)).toEqual(clients.map(() => 1));
  await handler.close();
  expect(handler.sessions).toBe(0);
});

test('a session is its principal’s alone', async () => {
  const handler = serve();
  const as = (clientId: string) => (request: Request) =>
    handler.fetch(request, { authInfo: { token: 't', clientId, scopes: [] } satisfies AuthInfo });
  const owner = new RawHttpClient(as('owner'), { roots: () => list('a') });
  await owner.connect();
  for (const fetch of [as('thief'), handler.fetch]) {
    const thief = new RawHttpClient(fetch);
    thief.session = owner.session;
    expect((await thief.send('DELETE')).status).toBe(404);
    expect((await thief.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' })).status).toBe(404);
  }
  expect(await owner.callTool('look', { n: 1 })).toEqual(looked(1, roots.path('a')));
  await handler.close();
});

test('a session ends when its client says so; to others it never was', async () => {
  const handler = serve();
  const client = new RawHttpClient(handler.fetch);
  await client.connect();
  expect(handler.sessions).toBe(1);
  expect((await client.send('DELETE')).status).toBe(200);
  expect(handler.sessions).toBe(0);
  expect((await client.post({ jsonrpc: '2.0', id: 1, method: 'ping' })).status).toBe(404);
  client.session = 'unknown';
  expect((await client.send('GET')).status).toBe(404);
  await handler.close();
});

test('a request that opens no session leaves none behind', async () => {
  const handler = serve();
  const client = new RawHttpClient(handler.fetch);
  expect((await client.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' })).status).toBe(400);
  expect((await client.send('GET')).status).toBe(400);
  expect(handler.sessions).toBe(0);
  await handler.close();
});

test('over HTTP the operator’s roots are the ceiling', async () => {
  const handler = serve({}, PATIENT, { roots: [roots.path('a')] });
  const within = new RawHttpClient(handler.fetch, { roots: () => list('a') });
  await within.connect();
  expect(await within.callTool('look', { n: 1 })).toEqual(looked(1, roots.path('a')));
  const beyond = new RawHttpClient(handler.fetch, { roots: () => [{ uri: 'file:///' }, ...list('b')] });
  await beyond.connect();
  expect(await beyond.callTool('look', { n: 1 })).toEqual(looked(1, roots.path('a')));
  await handler.close();
});

async function modernCall(handler: WorkspaceHandler, params: Record<string, unknown>, authInfo?: AuthInfo) {
  const meta = modernMeta('2026-07-28', { name: 'c', version: '1' }, { roots: {} });
  const response = await handler.fetch(
    new Request('http://localhost/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': String(params['name']),
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { ...params, _meta: meta },
      }),
    }),
    authInfo === undefined ? {} : { authInfo },
  );
  return ((await response.json()) as { result: Record<string, unknown> }).result;
}

test('over HTTP the operator’s roots are the ceiling of modern requests, too', async () => {
  const handler = serve({}, PATIENT, { roots: [roots.path('a')] });
  const inputResponses = { roots: { roots: [{ uri: 'file:///' }, ...list('b')] } };
  expect(await modernCall(handler, { name: 'info', arguments: {}, inputResponses })).toMatchObject({
    structuredContent: { roots: [roots.path('a')] },
  });
  await handler.close();
});

test('a factory that fails is an internal error, and is reported', async () => {
  const errors: string[] = [];
  const handler = createWorkspaceHandler(
    () => {
      throw new Error('no server today');
    },
    { onerror: (error) => void errors.push(error.message) },
  );
  const client = new RawHttpClient(handler.fetch);
  const response = await client.post({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} });
  expect(response.status).toBe(500);
  expect(await response.text()).not.toContain('no server today');
  expect(errors).toEqual(['no server today']);
  await handler.close();
});

test('two instances that share a key accept each other’s input responses and handles', async () => {
  const key = { handleKey: 'k'.repeat(32) };
  const [first, second] = [serve({}, PATIENT, key), serve({}, PATIENT, key)];
  const asked = await modernCall(first, { name: 'info', arguments: {} });
  expect(asked).toMatchObject({
    resultType: 'input_required',
    inputRequests: { roots: { method: 'roots/list' } },
  });
  const inputResponses = { roots: { roots: list('a') } };
  const answered = await modernCall(second, { name: 'info', arguments: {}, inputResponses });
  const { handle } = answered['structuredContent'] as { handle: string };
  for (const handler of [first, second]) {
    expect(await modernCall(handler, { name: 'info', arguments: { workspace: handle } })).toMatchObject({
      structuredContent: { roots: [roots.path('a')] },
    });
    await handler.close();
  }
});

test('a handle made for one principal is refused to another', async () => {
  const handler = serve();
  const [owner, thief] = ['owner', 'thief'].map((clientId) => ({ token: 't', clientId, scopes: [] }));
  const inputResponses = { roots: { roots: list('a') } };
  const minted = await modernCall(handler, { name: 'info', arguments: {}, inputResponses }, owner);
  const { handle } = minted['structuredContent'] as { handle: string };
  const call = { name: 'info', arguments: { workspace: handle } };
  expect(await modernCall(handler, call, owner)).toMatchObject({
    structuredContent: { roots: [roots.path('a')] },
  });
  for (const other of [thief, undefined]) {
    expect(await modernCall(handler, call, other)).toMatchObject({
      isError: true,
      structuredContent: { error_type: 'invalid_handle' },
    });
  }
  await handler.close();
});

test('a request whose body was read by someone else is answered, and reported', async () => {
  const errors: string[] = [];
  const handler = serve({ onerror: ({ message }) => void errors.push(message) });
  const headers = { 'content-type': 'application/json' };
  const request = new Request('http://localhost/mcp', { method: 'POST', headers, body: '{}' });
  await request.text();
  expect((await handler.fetch(request)).status).toBe(500);
  expect(errors).toHaveLength(1);
  await handler.close();
});
