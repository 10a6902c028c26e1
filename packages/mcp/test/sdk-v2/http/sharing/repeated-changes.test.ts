import { EventEmitter } from 'node:events';
import { McpServer } from '@modelcontextprotocol/server';
import { createParser } from 'eventsource-parser';
import { expect, test } from 'vitest';
import { createWorkspaceHandler, MemoryStore, type WorkspaceHandler } from '../../../../src/index.js';
import { FakeClock } from '../../../../../../testing/fake-clock.js';
import { RawHttpClient } from '../../../fixtures/raw-http-client.js';
import { eventually } from '../../../../../../testing/eventually.js';

const MARK = 'notifications/message';
const TOOLS = 'notifications/tools/list_changed';
/** After so long everything that waits was told. */
const LATER_MS = 1_400;
const UPDATED = 'notifications/resources/updated';

/** Emits what every process notices. */
const world = new EventEmitter();

function createServer(): McpServer {
  const capabilities = { logging: {}, tools: { listChanged: true }, resources: { subscribe: true } };
  const { server } = new McpServer({ name: 'x', version: '1' }, { capabilities });
  server.setRequestHandler('resources/subscribe', ({ params: { uri } }) => {
    world.on('file', () => void server.sendResourceUpdated({ uri }).catch(() => undefined));
    return {};
  });
  world.on('tools', () => void server.sendToolListChanged().catch(() => undefined));
  world.on('mark', () => void server.sendLoggingMessage({ level: 'info', data: 'x' }).catch(() => undefined));
  return server as unknown as McpServer;
}

/** The methods of what comes on a stream, and the id of the last one. */
function listenTo({ body }: Response): { readonly methods: string[]; last: string | undefined } {
  const heard: { readonly methods: string[]; last: string | undefined } = { methods: [], last: undefined };
  const parser = createParser({
    onEvent: ({ id, data }) => {
      heard.last = id;
      if (data !== '') heard.methods.push((JSON.parse(data) as { method: string }).method);
    },
  });
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of body!) parser.feed(decoder.decode(chunk as Uint8Array, { stream: true }));
  };
  void read().catch(() => undefined);
  return heard;
}

function stream(
  { fetch }: WorkspaceHandler,
  session: string,
  signal: AbortSignal,
  last?: string,
): Promise<Response> {
  const headers = {
    accept: 'text/event-stream',
    'mcp-session-id': session,
    'mcp-protocol-version': '2025-11-25',
    ...(last !== undefined && { 'last-event-id': last }),
  };
  return fetch(new Request('http://localhost/mcp', { headers, signal }));
}

/** Three processes with a server for the same session, which subscribed to a file. */
async function connect(clock: FakeClock) {
  const options = { sessionStore: new MemoryStore(clock), clock };
  const all = [1, 2, 3].map(() => createWorkspaceHandler(createServer, options));
  const first = new RawHttpClient(all[0]!.fetch);
  await first.connect();
  await first.request('resources/subscribe', { uri: 'x://y' });
  for (const { fetch } of all) {
    const client = new RawHttpClient(fetch);
    client.session = first.session;
    await client.request('ping');
  }
  const close = async (): Promise<void> => {
    world.removeAllListeners();
    await Promise.all(all.map((each) => each.close()));
  };
  return { all, session: first.session!, close };
}

const marks = (methods: readonly string[]): number => methods.filter((method) => method === MARK).length;

test('a client is told at once and at most once more of a change that three processes notice, and of what each of them has to say', async () => {
  const clock = new FakeClock();
  const { all, session, close } = await connect(clock);
  const abort = new AbortController();
  const heard = listenTo(await stream(all[1]!, session, abort.signal));
  world.emit('tools');
  world.emit('file');
  await eventually(() => expect(heard.methods).toEqual(expect.arrayContaining([TOOLS, UPDATED])));
  // They come after all that was said before, from each process.
  world.emit('mark');
  await eventually(() => expect(marks(heard.methods)).toBe(3));
  expect(heard.methods.filter((method) => method !== MARK)).toEqual([TOOLS, UPDATED]);
  await clock.advanceAndSettle(LATER_MS);
  world.emit('mark');
  await eventually(() => expect(marks(heard.methods)).toBe(6));
  const changes = heard.methods.filter((method) => method !== MARK);
  expect(changes.toSorted()).toEqual([UPDATED, UPDATED, TOOLS, TOOLS]);
  abort.abort();
  await close();
});

test('a change is not lost while the stream of the client moves, or when the process that told the one before is gone', async () => {
  const clock = new FakeClock();
  const { all, session, close } = await connect(clock);
  const abort = new AbortController();
  const before = listenTo(await stream(all[0]!, session, abort.signal));
  await eventually(() => expect(before.last).toBeDefined());
  abort.abort();
  world.emit('tools');
  const after = listenTo(await stream(all[1]!, session, new AbortController().signal, before.last));
  await eventually(() => expect(after.methods).toContain(TOOLS));
  world.emit('mark');
  await eventually(() => expect(marks(after.methods)).toBe(3));
  expect(after.methods.filter((method) => method !== MARK)).toEqual([TOOLS]);
  await all[0]!.close();
  await clock.advanceAndSettle(LATER_MS);
  await eventually(() => expect(after.methods.filter((method) => method === TOOLS)).toHaveLength(2));
  await clock.advanceAndSettle(LATER_MS);
  world.emit('tools');
  await eventually(() => expect(after.methods.filter((method) => method === TOOLS)).toHaveLength(3));
  await close();
});
