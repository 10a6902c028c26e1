import { pathToFileURL } from 'node:url';
import type { AuthInfo } from '@modelcontextprotocol/server';
import { createParser } from 'eventsource-parser';
import { expect, test, vi } from 'vitest';
import {
  MemoryStore,
  Revocations,
  RootwardMcpError,
  type SessionStore,
  type WorkspaceHandler,
} from '../../../../src/index.js';
import { FakeClock } from '../../../../../../testing/fake-clock.js';
import { createInstance, whenWaiting } from '../../../fixtures/instances.js';
import { RawHttpClient, type RawHttpClientOptions } from '../../../fixtures/raw-http-client.js';
import { eventually } from '../../../../../../testing/eventually.js';
import { temporaryFolder } from '../../../../../../testing/temporary-folders.js';

const { top, folder } = temporaryFolder('shared');
const [one, two, agreed] = [folder('one'), folder('two'), folder('agreed')];
const auth = (clientId: string): AuthInfo => ({ token: clientId, clientId, scopes: [] });
const uri = (path: string): string => pathToFileURL(path).href;

/** A client whose every request goes to the next instance. */
class Balanced extends RawHttpClient {
  #next = 0;

  static of(
    all: readonly WorkspaceHandler[],
    options: RawHttpClientOptions = {},
    authInfo?: AuthInfo,
  ): Balanced {
    const given = authInfo === undefined ? {} : { authInfo };
    const client: Balanced = new Balanced(
      (request) => all[client.#next++ % all.length]!.fetch(request, given),
      options,
    );
    return client;
  }
}

interface Event {
  readonly id: string | undefined;
  readonly data: string;
}

/** The events of a stream, as they come. */
function eventsOf(response: Response): Event[] {
  const events: Event[] = [];
  const parser = createParser({ onEvent: ({ id, data }) => void events.push({ id, data }) });
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body!)
      parser.feed(decoder.decode(chunk as Uint8Array, { stream: true }));
  };
  void read().catch(() => undefined);
  return events;
}

function get(client: RawHttpClient, lastEventId?: string, signal?: AbortSignal): Request {
  return new Request('http://localhost/mcp', {
    method: 'GET',
    headers: {
      accept: 'text/event-stream',
      'mcp-session-id': client.session ?? '',
      'mcp-protocol-version': '2025-11-25',
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    },
    ...(signal !== undefined && { signal }),
  });
}

function instances(count: number, store: SessionStore = new MemoryStore()): readonly WorkspaceHandler[] {
  return Array.from({ length: count }, () => createInstance(store, top));
}

async function close(all: readonly WorkspaceHandler[]): Promise<void> {
  await Promise.all(all.map((each) => each.close()));
}

test('a session opened by one process goes on in every other, with its roots, consents and project', async () => {
  const all = instances(3);
  const client = Balanced.of(all, { roots: () => [{ uri: uri(one) }] });
  await client.connect();
  for (let round = 0; round < 4; round++) {
    expect(await client.callTool('roots')).toEqual({ roots: [one], project: one });
  }
  await client.callTool('grant', { path: agreed });
  for (let round = 0; round < 4; round++) {
    expect(await client.callTool('roots')).toEqual({ roots: [one, agreed], project: agreed });
  }
  expect(client.asked).toBeLessThanOrEqual(2);
  await close(all);
});

test('a change of roots that one process hears of counts in the others', async () => {
  const all = instances(2);
  let root = one;
  const client = Balanced.of(all, { roots: () => [{ uri: uri(root) }] });
  await client.connect();
  for (let round = 0; round < 2; round++) await client.callTool('roots');
  root = two;
  await client.notify('notifications/roots/list_changed');
  for (let round = 0; round < 3; round++) {
    expect(await client.callTool('roots')).toEqual({ roots: [two], project: two });
  }
  await close(all);
});

test('an answer of the client is passed on to the process that asked', async () => {
  const [first, second] = instances(2);
  let isFirst = true;
  const client: RawHttpClient = new RawHttpClient(
    async (request) => {
      const isAnswer = request.method === 'POST' && (await request.clone().text()).includes('"result"');
      return (isAnswer || !isFirst ? second! : first!).fetch(request);
    },
    { roots: () => [{ uri: uri(one) }] },
  );
  await client.connect();
  expect(await client.callTool('roots')).toEqual({ roots: [one], project: one });
  expect(client.asked).toBe(1);
  isFirst = false;
  expect(await client.callTool('roots')).toEqual({ roots: [one], project: one });
  await close([first!, second!]);
});

test('a cancellation reaches the process that serves the request', async () => {
  const [first, second] = instances(2);
  const client = new RawHttpClient(first!.fetch);
  await client.connect();
  const call = {
    jsonrpc: '2.0',
    id: 77,
    method: 'tools/call',
    params: { name: 'wait', arguments: { name: 'c' } },
  };
  const response = client.post(call);
  await whenWaiting('c');
  const other = new RawHttpClient(second!.fetch);
  other.session = client.session;
  await other.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 77 } });
  await whenWaiting('c cancelled');
  expect(await (await response).text()).toContain('Request cancelled');
  await close([first!, second!]);
});

test('to another principal the session does not exist, in any process', async () => {
  const all = instances(2);
  const client = Balanced.of(all, { roots: () => [{ uri: uri(one) }] }, auth('a'));
  await client.connect();
  await client.callTool('roots');
  const thief = Balanced.of(all, {}, auth('b'));
  thief.session = client.session;
  for (const method of ['POST', 'GET', 'DELETE', 'POST']) {
    const message = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const sent = await thief.send(method, method === 'POST' ? message : undefined);
    expect(sent.status).toBe(404);
  }
  expect(await client.callTool('roots')).toEqual({ roots: [one], project: one });
  await close(all);
});

test('a stream that broke off is resumed in another process, without loss or repetition', async () => {
  const [first, second] = instances(2);
  const client = new RawHttpClient(first!.fetch);
  await client.connect();
  const call = {
    jsonrpc: '2.0',
    id: 5,
    method: 'tools/call',
    params: { name: 'wait', arguments: { name: 'r' } },
  };
  const broken = await client.post(call);
  const go = await whenWaiting('r');
  const reader = broken.body!.getReader();
  const start = new TextDecoder().decode((await reader.read()).value);
  await reader.cancel();
  const id = /^id: (.+)$/m.exec(start)?.[1];
  const resumed = eventsOf(await second!.fetch(get(client, id)));
  go();
  await eventually(() => expect(resumed).toHaveLength(2));
  // A client that is cut off again before the answer comes has to know where it was.
  expect(resumed[0]).toEqual({ id, data: '' });
  expect(JSON.parse(resumed[1]!.data)).toMatchObject({ id: 5, result: { structuredContent: { name: 'r' } } });
  const again = await second!.fetch(get(client, resumed[1]!.id));
  expect(again.status).toBe(405);
  await close([first!, second!]);
});

test('a request whose process died is answered with an error that says to send it again', async () => {
  const clock = new FakeClock();
  const store = new MemoryStore(clock);
  const first = createInstance(store, top, { clock });
  const second = createInstance(store, top);
  const client = new RawHttpClient(first.fetch);
  await client.connect();
  const call = {
    jsonrpc: '2.0',
    id: 6,
    method: 'tools/call',
    params: { name: 'wait', arguments: { name: 'd' } },
  };
  const broken = await client.post(call);
  await whenWaiting('d');
  const reader = broken.body!.getReader();
  const id = /^id: (.+)$/m.exec(new TextDecoder().decode((await reader.read()).value))?.[1];
  // Nobody keeps its heartbeat any more.
  await first.close();
  const events = eventsOf(await second.fetch(get(client, id)));
  await eventually(() => expect(events).toHaveLength(2));
  expect(JSON.parse(events[1]!.data)).toMatchObject({ id: 6, error: { message: /send the request again/ } });
  await second.close();
});

test('what one process has to say goes out on the stream that another one has open, and once', async () => {
  const [first, second] = instances(2);
  const client = new RawHttpClient(first!.fetch);
  await client.connect();
  const abort = new AbortController();
  const events = eventsOf(await first!.fetch(get(client, undefined, abort.signal)));
  await eventually(() => expect(events).toHaveLength(1));
  const other = new RawHttpClient(second!.fetch);
  other.session = client.session;
  await other.callTool('log', { text: 'from the second' });
  await client.callTool('log', { text: 'from the first' });
  await eventually(() => expect(events).toHaveLength(3));
  abort.abort();
  await other.callTool('log', { text: 'while nobody listened' });
  const resumed = eventsOf(await second!.fetch(get(client, events.at(-1)!.id)));
  await client.callTool('log', { text: 'after that' });
  await eventually(() => expect(resumed).toHaveLength(3));
  const texts = [...events, ...resumed]
    .filter(({ data }) => data !== '')
    .map(({ data }) => (JSON.parse(data) as { params: { data: string } }).params.data);
  expect(texts).toEqual(['from the second', 'from the first', 'while nobody listened', 'after that']);
  await close([first!, second!]);
});

test('a session that the client ends is gone everywhere', async () => {
  const all = instances(2);
  const client = Balanced.of(all);
  await client.connect();
  await client.request('ping');
  expect((await client.send('DELETE')).status).toBe(200);
  for (let round = 0; round < 2; round++) {
    expect((await client.post({ jsonrpc: '2.0', id: 1, method: 'ping' })).status).toBe(404);
  }
  await eventually(() => expect(all.map(({ sessions }) => sessions)).toEqual([0, 0]));
  await close(all);
});

test('a revoked session or principal is refused by every process, and its streams end', async () => {
  const store = new MemoryStore();
  const revocations = new Revocations(store);
  const all = instances(2, store);
  const subject: AuthInfo = { ...auth('client'), extra: { sub: 'subject' } };
  const client = Balanced.of(all, {}, subject);
  const other = Balanced.of(all, {}, subject);
  for (const each of [client, other]) {
    await each.connect();
    await each.request('ping');
  }
  await revocations.revoke('session', client.session!);
  await eventually(async () => {
    for (let round = 0; round < 2; round++) {
      expect((await client.post({ jsonrpc: '2.0', id: 1, method: 'ping' })).status).toBe(404);
    }
  });
  await other.request('ping');
  await revocations.revoke('principal', 'subject');
  await eventually(async () => {
    for (let round = 0; round < 2; round++) {
      expect((await other.post({ jsonrpc: '2.0', id: 1, method: 'ping' })).status).toBe(401);
    }
    expect(all.map(({ sessions }) => sessions)).toEqual([0, 0]);
  });
  await close(all);
});

async function expectNotFound(client: RawHttpClient): Promise<void> {
  const response = await client.post({ jsonrpc: '2.0', id: 1, method: 'ping' });
  expect(response.status).toBe(404);
  expect(await response.text()).not.toContain('secret');
}

test('a session whose record is garbage or of another version is not found, and nothing of it is told', async () => {
  const store = new MemoryStore();
  const keys = new Set<string>();
  const spied: SessionStore = Object.assign(Object.create(store) as SessionStore, {
    ready: true,
    ...Object.fromEntries(
      (['now', 'read', 'append', 'lines', 'count', 'claim', 'publish', 'subscribe', 'close'] as const).map(
        (name) => [name, (...args: unknown[]) => Reflect.apply(store[name], store, args) as unknown],
      ),
    ),
    replace: (key: string, ...rest: [string | undefined, string | undefined, number]) => {
      keys.add(key);
      return store.replace(key, ...rest);
    },
  });
  const handler = createInstance(spied, top);
  const client = new RawHttpClient(handler.fetch);
  await client.connect();
  const key = [...keys].find((name) => name.startsWith('session:'))!;
  expect(key).not.toContain(client.session!);
  const garbage = [
    'garbage',
    '{"v":2,"turn":1,"session":{"secret":1}}',
    '[]',
    '',
    '{"v":1}',
    // As earlier versions stored it.
    '{"v":1,"turn":9,"fields":{"initialize":{},"secret":1}}',
    '{"v":1,"turn":"secret","session":{"initialize":{}}}',
    '{"v":1,"turn":9,"session":["secret"]}',
    '{"v":1,"turn":9,"session":{"secret":1}}',
    '{"v":1,"turn":9,"session":{"initialize":"secret"}}',
    ...[
      '"workspace":"secret"',
      '"workspace":{"client":"secret"}',
      '"workspace":{"client":"answered","roots":[1,null]}',
      '"workspace":{"client":"answered","roots":"secret"}',
      '"workspace":{"client":"answered","roots":[{"uri":"file:///","name":7}]}',
      '"workspace":{"consents":[7,null]}',
      '"workspace":{"hasGiven":"secret"}',
      '"workspace":{"project":{}}',
      '"history":7',
      '"binding 1":"secret"',
      '"binding 1":{"cwd":7}',
    ].map((field) => `{"v":1,"turn":9,"session":{"initialize":{},${field}}}`),
  ];
  // One that serves the session already, and one that would have to take it up.
  const other = createInstance(spied, top);
  const elsewhere = new RawHttpClient(other.fetch);
  elsewhere.session = client.session;
  for (const text of garbage) {
    await store.replace(key, await store.read(key), text, 1_000_000);
    for (const each of [client, elsewhere]) await expectNotFound(each);
  }
  const half = '{"v":1,"turn":9,"session":{"initialize":{"protocolVersion":5}}}';
  await store.replace(key, await store.read(key), half, 1_000_000);
  await expectNotFound(elsewhere);
  expect(other.sessions).toBe(0);
  await other.close();
  await handler.close();
});

test('a change that cannot be stored is answered with an error that says to send the request again', async () => {
  const store = new MemoryStore();
  const handler = createInstance(store, top);
  const client = new RawHttpClient(handler.fetch, { roots: () => [{ uri: uri(one) }] });
  await client.connect();
  await client.callTool('roots');
  const problem = new RootwardMcpError('store-unavailable', 'Cannot use the session store: it is slow');
  const replace = vi.spyOn(store, 'replace').mockRejectedValueOnce(problem);
  await expect(client.callTool('grant', { path: agreed })).rejects.toThrow(
    /it is slow; send the request again/,
  );
  expect(replace).toHaveBeenCalledOnce();
  await client.callTool('grant', { path: agreed });
  expect(await client.callTool('roots')).toEqual({ roots: [one, agreed], project: agreed });
  await handler.close();
});

test('a message that another process needs and that cannot be stored gets 503', async () => {
  const store = new MemoryStore();
  const [first, second] = instances(2, store);
  const client = new RawHttpClient(first!.fetch, { roots: () => [{ uri: uri(one) }] });
  await client.connect();
  await client.callTool('roots');
  const other = new RawHttpClient(second!.fetch);
  other.session = client.session;
  await other.request('ping');
  const problem = new RootwardMcpError('store-unavailable', 'Cannot use the session store: it is full');
  for (const name of ['publish', 'replace'] as const) vi.spyOn(store, name).mockRejectedValueOnce(problem);
  const messages = [
    { jsonrpc: '2.0', id: 'elsewhere.1', result: { roots: [] } },
    { jsonrpc: '2.0', method: 'notifications/roots/list_changed' },
  ];
  for (const message of messages) {
    const refused = await other.post(message);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await refused.text()).toContain('it is full');
    expect((await other.post(message)).status).toBe(202);
  }
  await close([first!, second!]);
});
