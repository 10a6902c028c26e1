import { expect, test } from 'vitest';
import { MemoryStore, type WorkspaceHandler } from '../../../../src/index.js';
import { createInstance } from '../../../fixtures/instances.js';
import { RawHttpClient } from '../../../fixtures/raw-http-client.js';
import { temporaryFolder } from '../../../../../../testing/temporary-folders.js';

const { top } = temporaryFolder('room');

/** Sessions that another process opened, each with a client that goes to a small one. */
async function connect(count: number): Promise<{
  readonly small: WorkspaceHandler;
  readonly clients: readonly RawHttpClient[];
  readonly close: () => Promise<void>;
}> {
  const store = new MemoryStore();
  const large = createInstance(store, top);
  const small = createInstance(store, top, { maxSessions: 2 });
  const clients: RawHttpClient[] = [];
  for (let each = 0; each < count; each++) {
    const opener = new RawHttpClient(large.fetch);
    await opener.connect();
    const client = new RawHttpClient(small.fetch);
    client.session = opener.session;
    clients.push(client);
  }
  const close = async (): Promise<void> => {
    await Promise.all([small.close(), large.close()]);
  };
  return { small, clients, close };
}

test('a process has no more sessions in memory than it may, and those that leave it go on', async () => {
  const { small, clients, close } = await connect(5);
  for (let round = 0; round < 2; round++) {
    for (const client of clients) {
      await client.request('ping');
      expect(small.sessions).toBeLessThanOrEqual(2);
    }
  }
  await close();
});

test('a session for which there is no room is told to come back, and is not lost', async () => {
  const { small, clients, close } = await connect(3);
  const [first, second, third] = clients as [RawHttpClient, RawHttpClient, RawHttpClient];
  const abort = new AbortController();
  // They listen, so they stay.
  for (const each of [first, second]) await each.send('GET', undefined, abort.signal);
  for (const method of ['POST', 'GET']) {
    const ping = method === 'POST' ? { jsonrpc: '2.0', id: 1, method: 'ping' } : undefined;
    const response = await third.send(method, ping);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
  }
  expect(small.sessions).toBe(2);
  abort.abort();
  await third.request('ping');
  await close();
});

test('a process has no more sessions in memory than it may where all of their clients come at once to listen', async () => {
  const { small, clients, close } = await connect(10);
  const abort = new AbortController();
  const answers = await Promise.all(clients.map((client) => client.send('GET', undefined, abort.signal)));
  expect(small.sessions).toBe(2);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
  expect(answers.filter(({ status }) => status === 503)).toHaveLength(8);
  abort.abort();
  await close();
});

test('a stream that comes to nothing gives its place back', async () => {
  const { small, clients, close } = await connect(2);
  const headers = { accept: 'text/event-stream', 'last-event-id': 'of nobody' };
  for (const { session = '' } of clients) {
    const request = new Request('http://localhost/mcp', {
      headers: { ...headers, 'mcp-session-id': session },
    });
    expect((await small.fetch(request)).status).toBe(400);
  }
  expect(small.sessions).toBe(0);
  await close();
});
