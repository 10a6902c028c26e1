import { McpServer } from '@modelcontextprotocol/server';
import { expect, onTestFinished, test } from 'vitest';
import { createWorkspaceHandler, MemoryStore, type WorkspaceHandler } from '../../../src/index.js';
import { SessionTransport } from '../../../src/sdk-v2/http/session-transport.js';
import { eventually } from '../../../../../testing/eventually.js';
import { RawHttpClient } from '../../fixtures/raw-http-client.js';

/** A store that writes answers of tools when it is let go, as one that is busy. */
class BusyStore extends MemoryStore {
  readonly written: { readonly key: string; readonly text: string }[] = [];
  readonly #held: (() => void)[] = [];
  #isBusy = true;

  get held(): number {
    return this.#held.length;
  }

  letGo(): void {
    this.#isBusy = false;
    for (const go of this.#held) go();
  }

  override async append(key: string, text: string, ttl: number): Promise<string> {
    if (this.#isBusy && text.includes('of a tool')) {
      await new Promise<void>((resolve) => this.#held.push(resolve));
    }
    this.written.push({ key, text });
    return super.append(key, text, ttl);
  }

  /** The logs with a line that contains this. */
  logsWith(part: string): readonly string[] {
    return this.written.filter(({ text }) => text.includes(part)).map(({ key }) => key);
  }
}

interface Calls {
  /** Lets a call of `wait` return. */
  readonly end: Map<string, () => void>;
  /** Says something that belongs to a call of `wait`. */
  readonly say: Map<string, (text: string) => Promise<void>>;
}

/** `wait` takes until it is ended; `speak` says something for another call, from its own context. */
function createServer(calls: Calls): McpServer {
  const server = new McpServer({ name: 'x', version: '1' }, { capabilities: { logging: {}, tools: {} } });
  server.server.setRequestHandler('tools/call', async ({ params: { name, arguments: args } }, ctx) => {
    const call = String(args?.['call']);
    if (name === 'speak')
      await calls.say
        .get(String(args?.['of']))?.('late news')
        .catch(() => undefined);
    calls.say.set(call, (data) =>
      ctx.mcpReq.notify({ method: 'notifications/message', params: { level: 'info', data } }),
    );
    await new Promise<void>((resolve) => calls.end.set(call, resolve));
    return { content: [{ type: 'text', text: `${call} of a tool` }] };
  });
  return server;
}

interface Setting {
  readonly store: BusyStore;
  readonly handler: WorkspaceHandler;
  readonly client: RawHttpClient;
  readonly calls: Calls;
}

async function connect(maxSessions: number): Promise<Setting> {
  const store = new BusyStore();
  const calls: Calls = { end: new Map(), say: new Map() };
  const handler = createWorkspaceHandler(() => createServer(calls), { sessionStore: store, maxSessions });
  onTestFinished(() => handler.close());
  const client = new RawHttpClient(handler.fetch);
  await client.connect();
  return { store, handler, client, calls };
}

function callOf(id: string, name: string, args: Record<string, unknown> = {}): Record<string, unknown> {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: { call: id, ...args } } };
}

test('a session is not dropped to make room while an answer of it is being stored', async () => {
  const { store, handler, client, calls } = await connect(1);
  const response = await client.post(callOf('a', 'wait'));
  await eventually(() => calls.end.get('a')!());
  await eventually(() => expect(store.held).toBe(1));
  await expect(new RawHttpClient(handler.fetch).connect()).rejects.toThrow('sessions');
  store.letGo();
  expect(await response.text()).toContain('a of a tool');
  await new RawHttpClient(handler.fetch).connect();
});

test('what is said of a request while its answer is being stored stays out of the log of the request that says it', async () => {
  const { store, client, calls } = await connect(10);
  const first = await client.post(callOf('a', 'wait'));
  await eventually(() => calls.end.get('a')!());
  await eventually(() => expect(store.held).toBe(1));
  const second = await client.post(callOf('b', 'speak', { of: 'a' }));
  await eventually(() => calls.end.get('b')!());
  store.letGo();
  expect(await first.text()).toContain('late news');
  expect(await second.text()).not.toContain('late news');
  expect(store.logsWith('late news')).toEqual(store.logsWith('a of a tool'));
});

test('what is said of an answered request of a batch stays out of the log of the request that says it', async () => {
  const { store, client, calls } = await connect(10);
  store.letGo();
  const first = await client.post([callOf('a', 'wait'), callOf('c', 'wait')]);
  await eventually(() => calls.end.get('a')!());
  await eventually(() => expect(store.logsWith('a of a tool')).toHaveLength(1));
  const second = await client.post(callOf('b', 'speak', { of: 'a' }));
  await eventually(() => calls.end.get('b')!());
  expect(await second.text()).not.toContain('late news');
  calls.end.get('c')!();
  expect(await first.text()).toContain('late news');
  expect(store.logsWith('late news')).not.toContain(store.logsWith('b of a tool')[0]);
});

test('a request that is cancelled while its answer is being stored is answered once', async () => {
  const { store, client, calls } = await connect(10);
  const response = await client.post(callOf('a', 'wait'));
  await eventually(() => calls.end.get('a')!());
  await eventually(() => expect(store.held).toBe(1));
  await client.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'a' } });
  store.letGo();
  expect(await response.text()).not.toContain('Request cancelled');
});

test('a request with the id of one that is under way is refused, and that one is answered', async () => {
  const { store, client, calls } = await connect(10);
  store.letGo();
  const responses = await Promise.all([client.post(callOf('a', 'wait')), client.post(callOf('a', 'wait'))]);
  expect(responses.map(({ status }) => status)).toEqual([200, 400]);
  const late = await client.post([callOf('b', 'wait'), callOf('a', 'wait')]);
  expect(await late.json()).toMatchObject({ error: { message: expect.stringContaining('under way') } });
  await eventually(() => calls.end.get('a')!());
  expect(await responses[0].text()).toContain('a of a tool');
  // What was refused with it was not begun.
  expect(calls.end.has('b')).toBe(false);
});

test('an id can be used again after its request was answered', async () => {
  const { store, client, calls } = await connect(10);
  store.letGo();
  for (let round = 0; round < 3; round++) {
    calls.end.delete('a');
    const response = await client.post(callOf('a', 'wait'));
    await eventually(() => calls.end.get('a')!());
    expect(await response.text()).toContain('a of a tool');
  }
});

test('a batch with two requests of the same id is refused', async () => {
  const { client } = await connect(10);
  expect((await client.post([callOf('a', 'wait'), callOf('a', 'wait')])).status).toBe(400);
});

/** More steps than the SDK takes until the server has a request. */
const STEPS = 30;

function postTo(transport: SessionTransport, parsedBody: object): Promise<Response> {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-session-id': 's',
  };
  return transport.handleRequest(new Request('http://localhost/mcp', { method: 'POST', headers }), {
    parsedBody,
  });
}

test('a request is answered, or its stream ends, at whichever moment its session is closed', async () => {
  const initialize = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'x', version: '1' },
  };
  for (let steps = 0; steps < STEPS; steps++) {
    const transport = new SessionTransport({ sessionIdGenerator: () => 's' });
    await new McpServer({ name: 'x', version: '1' }).connect(transport);
    transport.watch({ received: () => true, answering: () => undefined, answered: () => undefined });
    await postTo(transport, { jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize });
    const answer = postTo(transport, { jsonrpc: '2.0', id: 2, method: 'ping' });
    for (let step = 0; step < steps; step++) await Promise.resolve();
    await transport.close();
    await (await answer).text();
  }
});

test('a request that is answered with JSON gets an error where its session ends before', async () => {
  const calls: Calls = { end: new Map(), say: new Map() };
  const handler = createWorkspaceHandler(() => createServer(calls), { jsonResponse: true });
  onTestFinished(() => handler.close());
  const client = new RawHttpClient(handler.fetch);
  await client.connect();
  const params = { name: 'wait', arguments: { call: 'one' } };
  const answer = client.post({ jsonrpc: '2.0', id: 9, method: 'tools/call', params });
  await eventually(() => expect(calls.end.has('one')).toBe(true));
  expect((await client.send('DELETE')).status).toBe(200);
  expect(await (await answer).json()).toMatchObject({
    id: 9,
    error: { message: expect.stringMatching(/closed/) },
  });
});
