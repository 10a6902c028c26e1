import { OperatorLimits, readSources } from '@rootward/core';
import { Deferred } from '@rootward/core/platform';
import { PreparedWorkspace } from '@rootward/mcp/host';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Exchange } from '../../src/http/exchange.js';
import { ModernClients } from '../../src/http/modern-clients.js';
import { RawMessage } from '../../src/wire/raw-message.js';
import { serverScript } from '../fixtures/server-script.js';
import { wrapScript } from '../fixtures/wrap-script.js';
import { temporaryFolder } from '../../../../testing/temporary-folders.js';

/** Says in a notification that it was asked for its tools, and never lists them. */
const SLOW_LIST = serverScript(`
  serve((message) => {
    const { id, method } = message;
    if (method === 'initialize') introduce(message, { tools: { listChanged: true } });
    else if (method === 'tools/list') send({ method: 'notifications/tools/list_changed' });
    else if (id !== undefined) refuse(id);
  });`);

/** Lists itself as a tool, with its process and what its client can do; calls are never answered. */
const TELLING = serverScript(`
  let told;
  serve((message) => {
    const { id, method, params } = message;
    if (method === 'initialize') {
      told = Object.keys(params.capabilities).sort().join();
      introduce(message, { tools: {} });
    } else if (method === 'tools/list') send({ id, result: { tools: [{ name: String(process.pid), description: told, inputSchema: {} }] } });
    else if (id !== undefined && method !== 'tools/call') refuse(id);
  });`);

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** The response to one request. */
class Response implements Partial<Exchange> {
  readonly isOpen = true;
  readonly answered = new Deferred<string>();
  readonly ended = new Deferred();
  status: number | undefined;
  headers: Readonly<Record<string, string>> | undefined;
  readonly events: string[] = [];
  readonly #onEvent: () => void;

  constructor(onEvent: () => void = () => undefined) {
    this.#onEvent = onEvent;
  }

  event(bytes: Buffer): void {
    this.events.push(bytes.toString());
    this.#onEvent();
  }

  answer(bytes: Buffer, status?: number, headers?: Readonly<Record<string, string>>): void {
    this.status = status;
    this.headers = headers;
    this.answered.resolve(bytes.toString());
  }

  end(): void {
    this.ended.resolve();
  }

  /** The client leaves. */
  close: () => void = () => undefined;

  onClose(listener: () => void): void {
    this.close = listener;
  }
}

/** Clients in one folder. */
async function open(
  script: string,
  limits: OperatorLimits,
  maxServers?: number,
): Promise<{ readonly clients: ModernClients; readonly root: string }> {
  const { top: root } = temporaryFolder('modern');
  const environment = {};
  const sources = {
    ...(await readSources({ environment, home: root, roots: [root], hints: false })),
    limits,
  };
  const clients = new ModernClients(
    {
      ...wrapScript(script),
      prepared: new PreparedWorkspace({ environment, home: root, sources }),
      transport: 'http',
    },
    maxServers,
  );
  onTestFinished(() => clients.close());
  return { clients, root };
}

test('ModernClients leaves nobody waiting whose folder the operator takes away', async () => {
  const limits = new OperatorLimits();
  const { clients, root } = await open(SLOW_LIST, limits);
  const make = (method: string, params: object, response: Response): void => {
    const message = RawMessage.from({ id: 1, method, params: { ...params, _meta: META } });
    void clients.receive(message, response as Partial<Exchange> as Exchange, 'someone', {});
  };
  const listed = new Deferred();
  const listening = new Response(() => listening.events.length === 2 && listed.resolve());
  const calling = new Response();
  make('subscriptions/listen', { notifications: { toolsListChanged: true } }, listening);
  make('tools/call', { name: 'x', arguments: {} }, calling);
  await listed.promise;
  limits.set(root, 'revoked');
  await listening.ended.promise;
  expect(await calling.answered.promise).toContain('the operator took a folder away');
});

/** Asks as a client with these capabilities. */
function ask(
  clients: ModernClients,
  principal: string,
  capabilities: object,
  method = 'tools/list',
): Response {
  const meta = { ...META, 'io.modelcontextprotocol/clientCapabilities': capabilities };
  const params = method === 'tools/call' ? { name: 'x', arguments: {}, _meta: meta } : { _meta: meta };
  const response = new Response();
  const exchange = response as Partial<Exchange> as Exchange;
  void clients.receive(RawMessage.from({ id: 1, method, params }), exchange, principal, {});
  return response;
}

async function toolOf({ answered }: Response): Promise<{ name: string; description: string }> {
  const { result } = JSON.parse(await answered.promise) as {
    result: { tools: [{ name: string; description: string }] };
  };
  return result.tools[0];
}

test('ModernClients starts a server for what it can ask a client, not for whatever clients say', async () => {
  const { clients } = await open(TELLING, new OperatorLimits());
  const first = await toolOf(
    ask(clients, 'a', { elicitation: { form: {}, url: {} }, experimental: { one: {} } }),
  );
  const same = await toolOf(
    ask(clients, 'a', { experimental: { two: {} }, elicitation: { url: {}, form: {} }, more: {} }),
  );
  const other = await toolOf(ask(clients, 'a', { sampling: {}, elicitation: {} }));
  expect(same).toEqual(first);
  expect(first.description).toBe('elicitation,roots');
  expect(other.name).not.toBe(first.name);
  expect(other.description).toBe('elicitation,roots,sampling');
});

test('ModernClients ends idle servers for new ones, first those of the same principal', async () => {
  const { clients } = await open(TELLING, new OperatorLimits(), 2);
  const others = await toolOf(ask(clients, 'b', {}));
  const own = await toolOf(ask(clients, 'a', {}));
  await toolOf(ask(clients, 'a', { sampling: {} }));
  expect(await toolOf(ask(clients, 'b', {}))).toEqual(others);
  expect((await toolOf(ask(clients, 'a', {}))).name).not.toBe(own.name);
  expect(await toolOf(ask(clients, 'b', {}))).toEqual(others);
});

test('ModernClients lets no principal keep another out with calls', async () => {
  const { clients } = await open(TELLING, new OperatorLimits(), 2);
  const held = [ask(clients, 'a', {}, 'tools/call'), ask(clients, 'a', { sampling: {} }, 'tools/call')];
  const calling = ask(clients, 'b', {}, 'tools/call');
  expect(await held[0]!.answered.promise).toContain('ended to make room for another client');
  // One each: now nobody has more than is fair.
  const refused = ask(clients, 'b', { sampling: {} });
  expect(await refused.answered.promise).toContain('too many are in use');
  expect(refused).toMatchObject({ status: 503, headers: { 'Retry-After': '5' } });
  expect([held[1]!.status, calling.status]).toEqual([undefined, undefined]);
});

test('ModernClients counts a server as idle from the end of its last request on', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1000 });
  onTestFinished(() => void vi.useRealTimers());
  const { clients } = await open(TELLING, new OperatorLimits(), 2);
  const long = await toolOf(ask(clients, 'a', {}));
  const stays = new Deferred();
  const listening = ask(clients, 'a', {}, 'subscriptions/listen');
  listening.event = () => stays.resolve();
  await stays.promise;
  vi.setSystemTime(2000);
  const short = await toolOf(ask(clients, 'a', { sampling: {} }));
  vi.setSystemTime(3000);
  listening.close();
  await toolOf(ask(clients, 'a', { elicitation: {} }));
  expect(await toolOf(ask(clients, 'a', {}))).toEqual(long);
  expect((await toolOf(ask(clients, 'a', { sampling: {} }))).name).not.toBe(short.name);
});
