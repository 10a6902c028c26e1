import { expect, onTestFinished, test, vi } from 'vitest';
import { MemoryStore, Revocations, type WorkspaceHandler } from '../../../src/index.js';
import { createInstance, whenWaiting } from '../../fixtures/instances.js';
import { RawHttpClient } from '../../fixtures/raw-http-client.js';
import { FakeClock } from '../../../../../testing/fake-clock.js';

type Reader = ReadableStreamDefaultReader<Uint8Array>;

async function readText(reader: Reader): Promise<string> {
  return new TextDecoder().decode((await reader.read()).value);
}

/** A call that goes on in the first instance, whose stream broke off and was resumed in the second. */
async function resume(first: WorkspaceHandler, second: WorkspaceHandler, name: string) {
  const client = new RawHttpClient(first.fetch);
  await client.connect();
  const params = { name: 'wait', arguments: { name } };
  const broken = await client.post({ jsonrpc: '2.0', id: 5, method: 'tools/call', params });
  await whenWaiting(name);
  const reader = broken.body!.getReader();
  const id = /^id: (.+)$/m.exec(await readText(reader))?.[1] ?? '';
  await reader.cancel();
  const headers = {
    accept: 'text/event-stream',
    'mcp-session-id': client.session ?? '',
    'mcp-protocol-version': '2025-11-25',
    'last-event-id': id,
  };
  const resumed = await second.fetch(new Request('http://localhost/mcp', { headers }));
  expect(resumed.status).toBe(200);
  const stream = resumed.body!.getReader();
  expect(await readText(stream)).toContain(id);
  return { client, stream };
}

test.each([
  [
    'revoked',
    (client: RawHttpClient, store: MemoryStore) => new Revocations(store).revoke('session', client.session!),
  ],
  ['ended by its client', (client: RawHttpClient) => client.send('DELETE')],
])('a stream that was resumed ends when its session is %s', async (what, end) => {
  const store = new MemoryStore();
  const [first, second] = [createInstance(store, '/'), createInstance(store, '/')];
  onTestFinished(async () => {
    await Promise.all([first.close(), second.close()]);
  });
  const { client, stream } = await resume(first, second, what);
  await end(client, store);
  expect((await stream.read()).done).toBe(true);
});

/** Lets a test act after a session was read and before whoever read it knows. */
class SlowStore extends MemoryStore {
  meanwhile: (() => Promise<unknown>) | undefined;

  override async read(key: string, ttl?: number): Promise<string | undefined> {
    const text = await super.read(key, ttl);
    if (!key.startsWith('session:')) return text;
    const act = this.meanwhile;
    this.meanwhile = undefined;
    await act?.();
    return text;
  }
}

async function listen(handler: WorkspaceHandler, client: RawHttpClient): Promise<Response> {
  const headers = {
    accept: 'text/event-stream',
    'mcp-session-id': client.session ?? '',
    'mcp-protocol-version': '2025-11-25',
  };
  return handler.fetch(new Request('http://localhost/mcp', { headers }));
}

test.each([
  [
    'revoked',
    async (client: RawHttpClient, store: MemoryStore) => {
      await new Revocations(store).revoke('session', client.session!);
    },
  ],
  ['ended by its client', async (client: RawHttpClient) => void (await client.send('DELETE'))],
])('a stream that is being opened while its session is %s does not stay', async (_, end) => {
  for (const place of ['here', 'elsewhere']) {
    const store = new SlowStore();
    const [first, second] = [createInstance(store, '/'), createInstance(store, '/')];
    onTestFinished(async () => {
      await Promise.all([first.close(), second.close()]);
    });
    const client = new RawHttpClient(first.fetch);
    await client.connect();
    store.meanwhile = () => end(client, store);
    const stream = await listen(place === 'here' ? first : second, client);
    // Refused, or over at once.
    await stream.text();
    expect([place, stream.status]).toEqual([place, expect.toBeOneOf([200, 404])]);
  }
});

test('a stream whose session is gone from the store ends, although nobody said so', async () => {
  const clock = new FakeClock();
  const store = new MemoryStore(clock);
  const [first, second] = [createInstance(store, '/', { clock }), createInstance(store, '/', { clock })];
  onTestFinished(async () => {
    await Promise.all([first.close(), second.close()]);
  });
  const client = new RawHttpClient(first.fetch);
  await client.connect();
  const stream = await listen(second, client);
  expect(stream.status).toBe(200);
  const forgotten = vi.spyOn(store, 'read').mockResolvedValue(undefined);
  await clock.advanceAndSettle(10_000);
  await stream.text();
  forgotten.mockRestore();
});
