import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client as OldClient } from '@modelcontextprotocol/sdk-lowest/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk-lowest/client/streamableHttp.js';
import { expect, onTestFinished, test, vi } from 'vitest';
import { MemoryStore, type WorkspaceHandler } from '../../../src/index.js';
import { FakeClock } from '../../../../../testing/fake-clock.js';
import { createInstance, whenWaiting } from '../../fixtures/instances.js';
import { eventually } from '../../../../../testing/eventually.js';
import { temporaryFolder } from '../../../../../testing/temporary-folders.js';

const { top } = temporaryFolder('broken');

const KINDS = ['v2', 'v1'] as const;
const RECONNECT = {
  initialReconnectionDelay: 1,
  maxReconnectionDelay: 1,
  reconnectionDelayGrowFactor: 1,
  maxRetries: 100,
};
/** Longer than a process counts as alive after its last heartbeat. */
const DEAD_MS = 10_000;
const MISSED_MS = 2_000;

/** Lets so much time pass that a process counts as dead that gives no sign of life. Somebody must look for it. */
async function passAway(store: MemoryStore, clock: FakeClock): Promise<void> {
  const noted = vi.spyOn(store, 'replace');
  await clock.advanceAndSettle(DEAD_MS);
  await eventually(() => expect(noted.mock.calls.some(([key]) => key.startsWith('missing:'))).toBe(true));
  await clock.advanceAndSettle(MISSED_MS);
}

/** A stream that a client listens to. */
interface Heard {
  readonly lastEventId: string | null;
  /** How often something came. */
  chunks: number;
  break(): void;
}

/** The way from a client to one instance after the other; a stream can break off anywhere on it. */
class Network {
  readonly heard: Heard[] = [];
  target: WorkspaceHandler;

  constructor(target: WorkspaceHandler) {
    this.target = target;
  }

  readonly fetch = async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const request = new Request(url, init);
    const response = await this.target.fetch(request);
    if (request.method !== 'GET' && response.headers.get('content-type') !== 'text/event-stream') {
      return response;
    }
    if (response.body === null || !response.ok) return response;
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        controller.enqueue(chunk);
        heard.chunks += 1;
      },
    });
    const abort = new AbortController();
    const heard: Heard = {
      lastEventId: request.headers.get('last-event-id'),
      chunks: 0,
      break: () => abort.abort(new Error('broken')),
    };
    this.heard.push(heard);
    response.body.pipeTo(writable, { signal: abort.signal }).catch(() => undefined);
    return new Response(readable, response);
  };

  break(): void {
    for (const each of this.heard.splice(0)) each.break();
  }

  /** The stream with which the client goes on after an event, once something came over it. */
  resumed(): Promise<Heard> {
    return eventually(() => {
      const found = this.heard.find(
        ({ lastEventId, chunks }) => lastEventId !== null && !lastEventId.startsWith('_GET') && chunks > 0,
      );
      if (found === undefined) throw new Error(`Not resumed: ${JSON.stringify(this.heard)}`);
      return found;
    });
  }
}

type Call = (tool: string, args: Record<string, unknown>) => Promise<unknown>;

async function connect(kind: (typeof KINDS)[number], network: Network): Promise<Call> {
  const url = new URL('http://localhost/mcp');
  const options = { fetch: network.fetch, reconnectionOptions: RECONNECT };
  const info = { name: kind, version: '1.0.0' };
  const client =
    kind === 'v1' ? new ClientV1(info) : new Client(info, { versionNegotiation: { mode: 'legacy' } });
  onTestFinished(() => client.close());
  if (client instanceof ClientV1) await client.connect(new TransportV1(url, options));
  else await client.connect(new StreamableHTTPClientTransport(url, options));
  return (name, args) => client.callTool({ name, arguments: args });
}

test.each(KINDS)('a %s client resumes a stream again that broke off before anything came', async (kind) => {
  const clock = new FakeClock();
  const store = new MemoryStore(clock);
  // With a clock that stands still, the first one gives no sign of life after its start.
  const first = createInstance(store, top, { clock: new FakeClock() });
  const all = [first, createInstance(store, top, { clock }), createInstance(store, top, { clock })];
  const network = new Network(first);
  const call = await connect(kind, network);
  const name = `${kind} twice`;
  const outcome = call('wait', { name }).catch((error: unknown) => String(error));
  await whenWaiting(name);
  for (const next of all.slice(1)) {
    network.target = next;
    network.break();
    await network.resumed();
  }
  await passAway(store, clock);
  expect(await outcome).toMatch(/send the request again/);
  await Promise.all(all.map((each) => each.close()));
});

test.each(KINDS)('a %s client stops asking after an answer that is an error', async (kind) => {
  const handler = createInstance(new MemoryStore(), top);
  const network = new Network(handler);
  const call = await connect(kind, network);
  await eventually(() => expect(network.heard.some(({ chunks }) => chunks > 0)).toBe(true));
  const fetch = vi.spyOn(handler, 'fetch');
  await expect(call('wait', 'not an object' as never)).rejects.toThrow(/expected record/);
  const asked = (): number => fetch.mock.calls.filter(([{ method }]) => method === 'GET').length;
  // The older one asks once for what follows the error.
  const expected = kind === 'v1' ? 1 : 0;
  await eventually(() => expect(asked()).toBeGreaterThanOrEqual(expected));
  for (let round = 0; round < 20; round++) {
    await call('log', { text: 'one more' });
    // Lets the timers of the client run.
    await new Promise((resolve) => {
      setTimeout(resolve, RECONNECT.maxReconnectionDelay);
    });
  }
  expect(asked()).toBe(expected);
  await handler.close();
});

/** A call of an official client of revision 2025-06-18, which gets no event before the first message. */
async function callFromOldClient(network: Network, name: string): Promise<{ outcome: Promise<unknown> }> {
  const client = new OldClient({ name: 'old', version: '1.0.0' });
  onTestFinished(() => client.close());
  const options = { fetch: network.fetch, reconnectionOptions: RECONNECT };
  const transport = new OldTransport(new URL('http://localhost/mcp'), options);
  // The types of that version do not allow for `exactOptionalPropertyTypes`.
  await client.connect(transport as never);
  const outcome = client.callTool({ name: 'wait', arguments: { name, say: 'first' } });
  outcome.catch(() => undefined);
  await whenWaiting(name);
  await eventually(() => expect(network.heard.some(({ chunks }) => chunks > 0)).toBe(true));
  return { outcome };
}

test('a client of an earlier revision gets the answer of a call that broke off from another process', async () => {
  const store = new MemoryStore();
  const [first, second] = [createInstance(store, top), createInstance(store, top)];
  const network = new Network(first);
  const { outcome } = await callFromOldClient(network, 'old answer');
  network.target = second;
  network.break();
  await eventually(() => expect(network.heard.some(({ lastEventId }) => lastEventId !== null)).toBe(true));
  (await whenWaiting('old answer'))();
  expect(await outcome).toMatchObject({ structuredContent: { name: 'old answer' } });
  await Promise.all([first.close(), second.close()]);
});

test('a client of an earlier revision is told to send a call again whose process died', async () => {
  const clock = new FakeClock();
  const store = new MemoryStore(clock);
  const first = createInstance(store, top, { clock: new FakeClock() });
  const second = createInstance(store, top, { clock });
  const network = new Network(first);
  const { outcome } = await callFromOldClient(network, 'old death');
  network.target = second;
  network.break();
  await eventually(() => expect(network.heard.some(({ lastEventId }) => lastEventId !== null)).toBe(true));
  await passAway(store, clock);
  await expect(outcome).rejects.toThrow(/send the request again/);
  await Promise.all([first.close(), second.close()]);
});
