import { McpServer } from '@modelcontextprotocol/server';
import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { createWorkspaceHandler, withWorkspace } from '../../../src/index.js';
import type { WorkspaceHandler, WorkspaceHandlerOptions } from '../../../src/index.js';
import { FakeClock } from '../../../../../testing/fake-clock.js';
import { MemoryEventStore } from '../../fixtures/memory-event-store.js';
import { RawHttpClient } from '../../fixtures/raw-http-client.js';
import { eventually } from '../../../../../testing/eventually.js';

/** Calls of `wait` by name, each with what lets it go. */
const waiting = new Map<string, () => void>();

function serve(options: WorkspaceHandlerOptions): WorkspaceHandler {
  return createWorkspaceHandler(() => {
    const server = withWorkspace(new McpServer({ name: 'waits', version: '1.0.0' }));
    const inputSchema = z.object({ name: z.string() });
    server.registerTool('wait', { inputSchema }, async ({ name }) => {
      await new Promise<void>((resolve) => waiting.set(name, resolve));
      return { content: [], structuredContent: { name } };
    });
    server.registerTool('end-stream', {}, (ctx) => {
      ctx.http?.closeStandaloneSSE?.();
      return { content: [] };
    });
    return server;
  }, options);
}

async function whenWaiting(name: string): Promise<() => void> {
  return eventually(() => {
    const go = waiting.get(name);
    if (go === undefined) throw new Error(`${name} has not come`);
    return go;
  });
}

test('a session that nobody uses or listens to is closed', async () => {
  const clock = new FakeClock();
  const handler = serve({ clock, sessionIdleTimeout: 1000 });
  const idle = new RawHttpClient(handler.fetch);
  const busy = new RawHttpClient(handler.fetch);
  const listening = new RawHttpClient(handler.fetch);
  for (const client of [idle, busy, listening]) await client.connect();
  const abort = new AbortController();
  await listening.listen(abort.signal);
  clock.advance(900);
  await busy.request('ping');
  clock.advance(100);
  expect(handler.sessions).toBe(2);
  expect((await idle.post({ jsonrpc: '2.0', id: 1, method: 'ping' })).status).toBe(404);
  abort.abort();
  await eventually(() => {
    clock.advance(2000);
    expect(handler.sessions).toBe(0);
  });
  await handler.close();
});

test('a stream that was refused keeps no session', async () => {
  const clock = new FakeClock();
  const handler = serve({ clock, sessionIdleTimeout: 1000 });
  const client = new RawHttpClient(handler.fetch);
  await client.connect();
  const abort = new AbortController();
  await client.listen(abort.signal);
  expect((await client.send('GET')).status).toBe(409);
  abort.abort();
  await eventually(() => {
    clock.advance(2000);
    expect(handler.sessions).toBe(0);
  });
  await handler.close();
});

test('a stream that the server ended keeps no session', async () => {
  const clock = new FakeClock();
  const eventStore = new MemoryEventStore();
  const handler = serve({ clock, sessionIdleTimeout: 1000, eventStore });
  const client = new RawHttpClient(handler.fetch);
  await client.connect();
  const stream = await client.send('GET');
  await client.callTool('end-stream');
  await stream.text();
  await eventually(() => {
    clock.advance(2000);
    expect(handler.sessions).toBe(0);
  });
  await handler.close();
});

test('a client whose stream broke off can listen again before anything was written to it', async () => {
  const handler = serve({ keepAliveMs: 0 });
  const client = new RawHttpClient(handler.fetch);
  await client.connect();
  const abort = new AbortController();
  await client.send('GET', undefined, abort.signal);
  expect((await client.send('GET')).status).toBe(409);
  abort.abort();
  await eventually(async () => expect((await client.send('GET')).status).toBe(200));
  await handler.close();
});

test('a stream without news says that it is there as often as told', async () => {
  const handler = serve({ keepAliveMs: 10 });
  const client = new RawHttpClient(handler.fetch);
  await client.connect();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const stream = await client.send('GET');
    vi.advanceTimersByTime(20);
    await handler.close();
    expect(await stream.text()).toBe(': keepalive\n\n'.repeat(2));
  } finally {
    vi.useRealTimers();
  }
});

test.each([true, false])(
  'a method nobody knows is refused as such, with a session: %s',
  async (hasSession) => {
    const handler = serve({});
    const client = new RawHttpClient(handler.fetch);
    if (hasSession) await client.connect();
    for (const method of ['OPTIONS', 'HEAD', 'PUT']) {
      const response = await client.send(method);
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, POST, DELETE']);
    }
    expect((await client.send('GET')).status).toBe(hasSession ? 200 : 400);
    await handler.close();
  },
);

test('when there are too many sessions, the one that was idle longest makes room', async () => {
  const handler = serve({ maxSessions: 2 });
  const clients = [1, 2, 3].map(() => new RawHttpClient(handler.fetch));
  await clients[0]!.connect();
  await clients[1]!.connect();
  await clients[0]!.request('ping');
  await clients[2]!.connect();
  expect(handler.sessions).toBe(2);
  const statuses = await Promise.all(
    clients.map(async (client) => (await client.post({ jsonrpc: '2.0', id: 9, method: 'ping' })).status),
  );
  expect(statuses).toEqual([200, 404, 200]);
  await handler.close();
});

test.each([true, false])(
  'a session is not idle while a request is under way, with JSON responses: %s',
  async (jsonResponse) => {
    const clock = new FakeClock();
    const handler = serve({ clock, sessionIdleTimeout: 1000, jsonResponse });
    const client = new RawHttpClient(handler.fetch);
    await client.connect();
    const name = `long ${jsonResponse}`;
    const call = client.callTool('wait', { name });
    const go = await whenWaiting(name);
    clock.advance(10_500);
    expect(handler.sessions).toBe(1);
    go();
    expect(await call).toEqual({ name });
    // Its time begins with the answer.
    clock.advance(900);
    expect(handler.sessions).toBe(1);
    clock.advance(1100);
    expect(handler.sessions).toBe(0);
    await handler.close();
  },
);

test('a request that was cancelled keeps no session', async () => {
  const clock = new FakeClock();
  const handler = serve({ clock, sessionIdleTimeout: 1000 });
  const client = new RawHttpClient(handler.fetch);
  await client.connect();
  const call = { name: 'wait', arguments: { name: 'cancelled' } };
  await client.post({ jsonrpc: '2.0', id: 'x', method: 'tools/call', params: call });
  await whenWaiting('cancelled');
  await client.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'x' } });
  clock.advance(2000);
  expect(handler.sessions).toBe(0);
  await handler.close();
});

test.each([true, false])(
  'the exchange of a request that was cancelled ends, with JSON responses: %s',
  async (jsonResponse) => {
    const handler = serve({ jsonResponse });
    const client = new RawHttpClient(handler.fetch);
    await client.connect();
    const name = `given up ${jsonResponse}`;
    const params = { name: 'wait', arguments: { name } };
    const exchange = client
      .post({ jsonrpc: '2.0', id: 'x', method: 'tools/call', params })
      .then((response) => response.text());
    const go = await whenWaiting(name);
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'x' } };
    await client.post(cancel);
    expect(await exchange).toContain('Request cancelled');
    go();
    // Too late, and for nobody.
    expect((await client.post(cancel)).status).toBe(202);
    expect(await client.request('ping')).toEqual({});
    await handler.close();
  },
);

test('a session with a request under way does not make room', async () => {
  const handler = serve({ maxSessions: 1 });
  const [busy, second] = [new RawHttpClient(handler.fetch), new RawHttpClient(handler.fetch)];
  await busy.connect();
  const call = busy.callTool('wait', { name: 'busy' });
  const go = await whenWaiting('busy');
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
  };
  const refused = await second.post(initialize);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
  expect(handler.sessions).toBe(1);
  go();
  expect(await call).toEqual({ name: 'busy' });
  await second.connect();
  expect(handler.sessions).toBe(1);
  await handler.close();
});

const authInfoOf = (clientId: string) => ({ token: 't', clientId, scopes: [] });

test('many sessions of one principal leave those of another alone', async () => {
  const handler = serve({ maxSessions: 100 });
  const quiet = new RawHttpClient((request) => handler.fetch(request, { authInfo: authInfoOf('quiet') }));
  await quiet.connect();
  for (let count = 0; count < 200; count++) {
    const loud = new RawHttpClient((request) => handler.fetch(request, { authInfo: authInfoOf('loud') }));
    await loud.connect();
  }
  expect(handler.sessions).toBe(100);
  expect((await quiet.post({ jsonrpc: '2.0', id: 9, method: 'ping' })).status).toBe(200);
  await handler.close();
});

test('a session that was being opened when the handler was closed does not come to be', async () => {
  const errors: string[] = [];
  let made: (() => void) | undefined;
  const handler = createWorkspaceHandler(
    async () => {
      await new Promise<void>((resolve) => (made = resolve));
      return new McpServer({ name: 's', version: '1.0.0' });
    },
    { onerror: ({ message }) => void errors.push(message) },
  );
  const client = new RawHttpClient(handler.fetch);
  const connecting = client.connect().catch((error: unknown) => String(error));
  const finish = await eventually(() => {
    if (made === undefined) throw new Error('the factory was not called');
    return made;
  });
  await handler.close();
  finish();
  expect(await connecting).toContain('Internal server error');
  expect(handler.sessions).toBe(0);
  expect(errors).toEqual(['Cannot open a session: the handler is closed']);
});

test('a session whose server was connected when the handler was closed does not come to be', async () => {
  let ended = false;
  const handler = createWorkspaceHandler(() => {
    const server = new McpServer({ name: 's', version: '1.0.0' });
    const connect = server.server.connect.bind(server.server);
    server.server.connect = async (transport) => {
      await connect(transport);
      await handler.close();
    };
    server.server.onclose = () => (ended = true);
    return server;
  });
  const client = new RawHttpClient(handler.fetch);
  await expect(client.connect()).rejects.toThrow('Internal server error');
  expect(handler.sessions).toBe(0);
  expect(ended).toBe(true);
});

test('a server that cannot be closed is reported, whatever its session ends for', async () => {
  const clock = new FakeClock();
  const errors: string[] = [];
  const handler = createWorkspaceHandler(
    () => {
      const server = new McpServer({ name: 's', version: '1.0.0' });
      server.close = () => Promise.reject(new Error('cannot close'));
      return server;
    },
    { clock, maxSessions: 1, parkAfter: 1000, onerror: ({ message }) => void errors.push(message) },
  );
  for (let count = 0; count < 2; count++) await new RawHttpClient(handler.fetch).connect();
  await eventually(() => expect(errors).toEqual(['cannot close']));
  clock.advance(2000);
  await eventually(() => expect(errors).toEqual(['cannot close', 'cannot close']));
  await handler.close();
});
