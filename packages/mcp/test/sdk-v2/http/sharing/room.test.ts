import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { MemoryStore, type WorkspaceHandler } from '../../../../src/index.js';
import { createInstance } from '../../../fixtures/instances.js';
import { RawHttpClient } from '../../../fixtures/raw-http-client.js';

const top = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-room-')));
afterAll(() => rmSync(top, { recursive: true, force: true }));

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
