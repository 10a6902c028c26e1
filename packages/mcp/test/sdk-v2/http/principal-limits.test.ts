import { McpServer, type AuthInfo } from '@modelcontextprotocol/server';
import { expect, test, vi } from 'vitest';
import { createWorkspaceHandler, MemoryStore, Revocations } from '../../../src/index.js';
import type { PrincipalLimits, WorkspaceHandler } from '../../../src/index.js';
import { eventually } from '../../../../../testing/eventually.js';
import { FakeClock } from '../../../../../testing/fake-clock.js';
import { createInstance } from '../../fixtures/instances.js';
import { RawHttpClient } from '../../fixtures/raw-http-client.js';
import { temporaryFolder } from '../../../../../testing/temporary-folders.js';

const { top } = temporaryFolder('limits');

const clock = new FakeClock();
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
};
const PING = { jsonrpc: '2.0', id: 2, method: 'ping' };

const createServer = (): McpServer => new McpServer({ name: 'x', version: '1' });

function instances(limits: PrincipalLimits): readonly WorkspaceHandler[] {
  const store = new MemoryStore(clock);
  return [createInstance(store, top, { limits }), createInstance(store, top, { limits })];
}

/** A client of a principal, whose every request goes to the next instance and says how long it is. */
function clientOf(principal: string, all: readonly WorkspaceHandler[], padding = 0): RawHttpClient {
  const authInfo: AuthInfo = { token: principal, clientId: principal, scopes: [] };
  let next = 0;
  return new RawHttpClient(async (request) => {
    const length = (await request.clone().text()).length + padding;
    request.headers.set('content-length', String(length));
    return all[next++ % all.length]!.fetch(request, { authInfo });
  });
}

async function close(all: readonly WorkspaceHandler[]): Promise<void> {
  await Promise.all(all.map((each) => each.close()));
}

test('requests and sessions of a principal are limited over all processes, and told when to come back', async () => {
  const all = instances({ requestsPerSecond: 5, sessions: 1 });
  const client = clientOf('a', all);
  await client.connect();
  const refused = await clientOf('a', all).post(INITIALIZE);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
  const statuses: unknown[] = [];
  for (let round = 0; round < 4; round++) {
    const response = await client.post(PING);
    statuses.push(response.headers.get('retry-after') ?? response.status);
  }
  expect(statuses).toEqual([200, 200, '1', '1']);
  await clientOf('b', all).connect();
  await close(all);
});

test('tokens that allow different things, but are of one client and subject, share its limits', async () => {
  const all = instances({ requestsPerSecond: 3, sessions: 1 });
  const statuses: number[] = [];
  for (const access of ['one', 'two', 'three', 'four']) {
    const authInfo = { token: 'c', clientId: 'c', scopes: [], extra: { sub: 'someone', access } };
    const client = new RawHttpClient((request) => all[0]!.fetch(request, { authInfo }));
    statuses.push((await client.post(INITIALIZE)).status);
  }
  expect(statuses).toEqual([200, 503, 503, 429]);
  await close(all);
});

/** How many pings are answered before one is refused. */
async function countPings(client: RawHttpClient, most: number): Promise<number> {
  for (let count = 0; count < most; count++) {
    const response = await client.post(PING);
    const text = await response.text();
    if (response.status === 200) continue;
    expect(text).toContain('Too many bytes in a minute for this principal');
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '60']);
    return count;
  }
  return most;
}

test('bytes of a principal are limited over all processes: those of requests, and those of answers', async () => {
  const all = instances({ bytesPerMinute: 10_000 });
  const client = clientOf('a', all);
  await client.connect();
  const count = await countPings(client, 200);
  // A request has 41 bytes, and its answer more.
  expect(count).toBeGreaterThan(10);
  expect(count).toBeLessThan(150);
  // Another session of the same principal has nothing left, another principal everything.
  expect((await clientOf('a', all).post(INITIALIZE)).status).toBe(429);
  const other = clientOf('b', all, 3000);
  await other.connect();
  expect(await countPings(other, 10)).toBe(1);
  clock.advance(60_000);
  expect(await countPings(client, 200)).toBeGreaterThan(10);
  await close(all);
});

/** A request that comes in chunks, and does not say how long it is. */
function inChunks(request: Request, chunks: readonly string[]): Request {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(Buffer.from(chunk));
      controller.close();
    },
  });
  const { url, method, headers } = request;
  return new Request(url, { method, headers, body, duplex: 'half' });
}

test('each message of a batch counts as a request, also where it does not say how long it is', async () => {
  const all = instances({ requestsPerSecond: 5 });
  const authInfo: AuthInfo = { token: 'a', clientId: 'a', scopes: [] };
  const batch = Array.from({ length: 5 }, (_, id) => ({ ...PING, id }));
  const chunked = new RawHttpClient(async (request) =>
    all[0]!.fetch(inChunks(request, [await request.text()]), { authInfo }),
  );
  for (const client of [clientOf('a', all), chunked]) {
    await client.connect();
    clock.advance(1000);
    const whole = await client.post(batch);
    expect([whole.status, (await whole.text()).split('"result"').length]).toEqual([200, 6]);
    expect((await client.post(PING)).status).toBe(429);
    clock.advance(1000);
    await client.post(PING);
    const refused = await client.post(batch);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect(await refused.text()).toContain('Too many requests in a second for this principal');
    clock.advance(1000);
  }
  await close(all);
});

test.each([
  ['spaces', (text: string) => text + ' '.repeat(1024 * 1024)],
  ['a byte order mark', (text: string) => `\uFEFF${text}`],
])('each message of a batch counts as a request, also with %s around it', async (_, disguise) => {
  const all = instances({ requestsPerSecond: 5 });
  const client = new RawHttpClient(async (request) => {
    const { url, method, headers } = request;
    const body = disguise(await request.text());
    return all[0]!.fetch(new Request(url, { method, headers, body }));
  });
  await client.connect();
  clock.advance(1000);
  const whole = await client.post(Array.from({ length: 5 }, (__, id) => ({ ...PING, id })));
  expect([whole.status, (await whole.text()).split('"result"').length]).toEqual([200, 6]);
  expect((await client.post(PING)).status).toBe(429);
  clock.advance(1000);
  await close(all);
});

test('a batch that could never pass is refused as such, and leaves the principal what it has', async () => {
  const all = instances({ requestsPerSecond: 5 });
  const client = clientOf('a', all);
  await client.connect();
  clock.advance(1000);
  const refused = await client.post(Array.from({ length: 6 }, (_, id) => ({ ...PING, id })));
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([413, null]);
  expect(await refused.text()).toContain(
    'a batch of this principal may have at most 5, its limit per second',
  );
  expect((await client.post(PING)).status).toBe(200);
  await close(all);
});

test('bytes of requests that do not say how long they are count as they are read', async () => {
  const all = instances({ bytesPerMinute: 10_000 });
  const authInfo: AuthInfo = { token: 'a', clientId: 'a', scopes: [] };
  let padding: readonly string[] = [];
  const client = new RawHttpClient(async (request) => {
    const text = await request.text();
    return all[0]!.fetch(inChunks(request, [...padding, text]), { authInfo });
  });
  await client.connect();
  padding = [' '.repeat(3000)];
  expect(await countPings(client, 10)).toBe(3);
  clock.advance(60_000);
  // One that is too long on its own is not read to its end, and not answered.
  padding = Array.from({ length: 20 }, () => ' '.repeat(1000));
  expect(await countPings(client, 10)).toBe(0);
  clock.advance(60_000);
  padding = [];
  expect(await countPings(client, 5)).toBe(5);
  await close(all);
});

test('bytes of requests that somebody else has read count, too', async () => {
  const all = instances({ bytesPerMinute: 10_000 });
  const authInfo: AuthInfo = { token: 'a', clientId: 'a', scopes: [] };
  let padding = '';
  const client = new RawHttpClient(async (request) => {
    const parsedBody: unknown = { ...(JSON.parse(await request.text()) as object), params: { padding } };
    const { url, method, headers } = request;
    return all[0]!.fetch(new Request(url, { method, headers }), { authInfo, parsedBody });
  });
  const { status } = await client.post(INITIALIZE);
  expect(status).toBe(400);
  padding = 'x'.repeat(12_000);
  expect(await countPings(client, 10)).toBe(0);
  await close(all);
});

test('a session that could not be opened, or was revoked, gives its place back', async () => {
  const store = new MemoryStore(clock);
  const revocations = new Revocations(store);
  const limits = { sessions: 1 };
  let isBroken = true;
  const working = createInstance(store, top, { limits, revocations });
  const factory = (): McpServer => {
    if (isBroken) throw new Error('broken');
    return new McpServer({ name: 'other', version: '1' });
  };
  const failing = createWorkspaceHandler(factory, { sessionStore: store, limits, maxSessions: 1 });
  expect((await clientOf('a', [failing]).post(INITIALIZE)).status).toBe(500);
  isBroken = false;
  // Another principal has the only place of this process, and listens.
  const other = clientOf('b', [failing]);
  await other.connect();
  const stream = await other.send('GET');
  expect((await clientOf('a', [failing]).post(INITIALIZE)).status).toBe(503);
  const client = clientOf('a', [working]);
  await client.connect();
  await revocations.revoke('session', client.session!);
  await eventually(async () => expect((await clientOf('a', [working]).post(INITIALIZE)).status).toBe(200));
  await stream.body?.cancel();
  await close([working, failing]);
  revocations.dispose();
});

test('a session keeps its place while its client listens', async () => {
  const store = new MemoryStore(clock);
  const all = [createInstance(store, top, { limits: { sessions: 1 }, clock, sessionIdleTimeout: 100_000 })];
  const client = clientOf('a', all);
  await client.connect();
  const stream = await client.send('GET');
  for (let minute = 0; minute < 5; minute++) {
    await clock.advanceAndSettle(60_000);
  }
  expect((await clientOf('a', all).post(INITIALIZE)).status).toBe(503);
  expect((await client.post(PING)).status).toBe(200);
  await stream.body?.cancel();
  await close(all);
});

test('a session that ends to make room gives its place back', async () => {
  const handler = createWorkspaceHandler(createServer, { maxSessions: 2, limits: { sessions: 3 } });
  for (let round = 0; round < 5; round++) await clientOf('a', [handler]).connect();
  expect(handler.sessions).toBe(2);
  await handler.close();
});

test('a session that was revoked while no process had it in memory gives its place back when its client comes', async () => {
  const store = new MemoryStore(clock);
  const limits = { sessions: 1 };
  const gone = createInstance(store, top, { limits });
  const client = clientOf('a', [gone]);
  await client.connect();
  await gone.close();
  const revocations = new Revocations(store);
  const handler = createInstance(store, top, { limits, revocations });
  await revocations.revoke('session', client.session!);
  expect((await clientOf('a', [handler]).post(INITIALIZE)).status).toBe(503);
  const returning = clientOf('a', [handler]);
  returning.session = client.session;
  expect((await returning.post(PING)).status).toBe(404);
  await eventually(async () => expect((await clientOf('a', [handler]).post(INITIALIZE)).status).toBe(200));
  await handler.close();
  revocations.dispose();
});

test('a session that ends while another process is asked for it gives its place back', async () => {
  const store = new MemoryStore(clock);
  const all = [1, 2].map(() => createInstance(store, top, { limits: { sessions: 1 } }));
  const [client, other] = all.map((each) => clientOf('someone', [each])) as [RawHttpClient, RawHttpClient];
  await client.connect();
  other.session = client.session;
  const claim = store.claim.bind(store);
  vi.spyOn(store, 'claim').mockImplementationOnce(async (...args) => {
    expect((await client.send('DELETE')).status).toBe(200);
    return claim(...args);
  });
  expect((await other.post(PING)).status).toBe(404);
  expect((await clientOf('someone', all).post(INITIALIZE)).status).toBe(200);
  await close(all);
});

test('a token of the same party that does not have a session gives nothing of its place back', async () => {
  const store = new MemoryStore(clock);
  const handler = createInstance(store, top, { limits: { sessions: 1 } });
  const allowed = (access: string): RawHttpClient => {
    const authInfo = { token: access, clientId: 'someone', scopes: [], extra: { access } };
    return new RawHttpClient((request) => handler.fetch(request, { authInfo }));
  };
  const [client, other] = [allowed('all'), allowed('less')];
  await client.connect();
  other.session = client.session;
  expect((await other.post(PING)).status).toBe(404);
  expect((await allowed('less').post(INITIALIZE)).status).toBe(503);
  await handler.close();
});
