import { appendFileSync, mkdtempSync, rmSync, unwatchFile, watchFile, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { McpServer } from '@modelcontextprotocol/server';
import { expect, onTestFinished, test } from 'vitest';
import {
  createWorkspaceHandler,
  MemoryStore,
  RootwardMcpError,
  type WorkspaceHandler,
} from '../../../../src/index.js';
import { eventually } from '../../../../../../testing/eventually.js';
import { FakeClock } from '../../../../../../testing/fake-clock.js';
import { RawHttpClient } from '../../../fixtures/raw-http-client.js';

interface Instance {
  readonly handler: WorkspaceHandler;
  /** Those that were made for a session so far. */
  readonly servers: readonly McpServer[];
}

class Store extends MemoryStore {
  isDown = false;

  override read(key: string, ttl?: number): Promise<string | undefined> {
    if (this.isDown) return Promise.reject(new RootwardMcpError('store-unavailable', 'It is down'));
    return super.read(key, ttl);
  }
}

/** Two processes that share their sessions. */
function start(clock: FakeClock, sessionStore = new Store(clock)): readonly [Instance, Instance] {
  const instance = (): Instance => {
    const servers: McpServer[] = [];
    const makeServer = (): McpServer => {
      const capabilities = { logging: {}, resources: { subscribe: true } };
      const made = new McpServer({ name: 'listening', version: '1' }, { capabilities });
      made.server.setRequestHandler('resources/subscribe', ({ params: { uri } }) => {
        watchFile(fileURLToPath(uri), { interval: 20, persistent: false }, () => {
          made.server.sendResourceUpdated({ uri }).catch(() => undefined);
        });
        return {};
      });
      servers.push(made);
      return made;
    };
    const handler = createWorkspaceHandler(makeServer, { sessionStore, clock, keepAliveMs: 0 });
    onTestFinished(() => handler.close());
    return { handler, servers };
  };
  return [instance(), instance()];
}

/** The URI of a file that is there until the test has ended. */
function makeFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rootward-listening-'));
  const path = join(folder, 'a');
  writeFileSync(path, '');
  onTestFinished(() => {
    unwatchFile(path);
    rmSync(folder, { recursive: true, force: true });
  });
  return pathToFileURL(path).href;
}

/** Returns what comes over the stream. */
async function listen({ handler }: Instance, client: RawHttpClient): Promise<() => string> {
  const headers = {
    accept: 'text/event-stream',
    'mcp-session-id': client.session ?? '',
    'mcp-protocol-version': '2025-11-25',
  };
  const response = await handler.fetch(new Request('http://localhost/mcp', { headers }));
  expect(response.status).toBe(200);
  let text = '';
  const read = async (): Promise<void> => {
    for await (const chunk of response.body!) text += new TextDecoder().decode(chunk);
  };
  void read().catch(() => undefined);
  return () => text;
}

test('a client that listens hears what other processes say, and gets a server of its own later', async () => {
  const clock = new FakeClock();
  const [first, second] = start(clock);
  const client = new RawHttpClient(first.handler.fetch);
  await client.connect();
  const heard = await listen(second, client);
  expect(second.handler.sessions).toBe(1);
  await first.servers[0]!.server.sendLoggingMessage({ level: 'info', data: 'early' });
  await eventually(() => expect(heard()).toContain('early'));
  await clock.advanceAndSettle(4_000);
  expect(second.servers).toHaveLength(0);
  await clock.advanceAndSettle(2_000);
  await eventually(() => expect(second.servers).toHaveLength(1));
  await eventually(() => second.servers[0]!.server.sendLoggingMessage({ level: 'info', data: 'late' }));
  await eventually(() => expect(heard()).toContain('late'));
});

test('a request of such a client gets its server at once, and no second one is made', async () => {
  const clock = new FakeClock();
  const [first, second] = start(clock);
  const client = new RawHttpClient(first.handler.fetch);
  await client.connect();
  await listen(second, client);
  const other = new RawHttpClient(second.handler.fetch);
  other.session = client.session;
  await other.request('ping');
  expect(second.servers).toHaveLength(1);
  await clock.advanceAndSettle(10_000);
  expect(second.servers).toHaveLength(1);
});

test('one that subscribed to something gets it at once, and hears what changes then', async () => {
  const clock = new FakeClock();
  const [first, second] = start(clock);
  const client = new RawHttpClient(first.handler.fetch);
  await client.connect();
  const uri = makeFile();
  await client.request('resources/subscribe', { uri });
  // The first one dies.
  unwatchFile(fileURLToPath(uri));
  const heard = await listen(second, client);
  await eventually(() => expect(second.servers).toHaveLength(1));
  await eventually(() => {
    appendFileSync(fileURLToPath(uri), 'changed');
    expect(heard()).toContain('notifications/resources/updated');
  });
});

test('a session that was opened here hears of a file that one from elsewhere subscribed to, too', async () => {
  const clock = new FakeClock();
  const [first, second] = start(clock);
  const [theirs, own] = [new RawHttpClient(first.handler.fetch), new RawHttpClient(second.handler.fetch)];
  const uri = makeFile();
  await theirs.connect();
  await theirs.request('resources/subscribe', { uri });
  unwatchFile(fileURLToPath(uri));
  await listen(second, theirs);
  await eventually(() => expect(second.servers).toHaveLength(1));
  await own.connect();
  await own.request('resources/subscribe', { uri });
  const heard = await listen(second, own);
  await eventually(() => {
    appendFileSync(fileURLToPath(uri), 'changed');
    expect(heard()).toContain('notifications/resources/updated');
  });
});

test('one that went away meanwhile gets none', async () => {
  const clock = new FakeClock();
  const [first, second] = start(clock);
  const client = new RawHttpClient(first.handler.fetch);
  await client.connect();
  await listen(second, client);
  // It listens to one process at a time.
  await listen(first, client);
  await clock.advanceAndSettle(10_000);
  expect(second.servers).toHaveLength(0);
});

test('a store that is down when a server should be made is asked again', async () => {
  const clock = new FakeClock();
  const store = new Store(clock);
  const [first, second] = start(clock, store);
  const client = new RawHttpClient(first.handler.fetch);
  await client.connect();
  await listen(second, client);
  store.isDown = true;
  await clock.advanceAndSettle(10_000);
  expect(second.servers).toHaveLength(0);
  store.isDown = false;
  await clock.advanceAndSettle(6_000);
  await eventually(() => expect(second.servers).toHaveLength(1));
});
