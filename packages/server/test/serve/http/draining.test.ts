import { once } from 'node:events';
import { createServer, request as send, type ClientRequest, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer, type AuthInfo } from '@modelcontextprotocol/server';
import { Deferred, silentLogger } from '@rootward/core/platform';
import { expect, onTestFinished, test } from 'vitest';
import { Draining } from '../../../src/serve/http/draining.js';
import {
  createHttpServer,
  type HttpServer,
  type HttpServerOptions,
} from '../../../src/serve/http/http-server.js';
import { AccessTokens, type Refusal } from '../../../src/serve/oauth/access-tokens.js';

const REVISION = '2026-07-28';

/** The answer to the n-th call comes when the n-th of these is resolved. */
async function start(
  answers: readonly Deferred[],
  further: Partial<HttpServerOptions> = {},
): Promise<{
  readonly http: HttpServer;
  readonly post: (method: string, params: object, name?: string) => Promise<Response>;
  readonly started: readonly Deferred[];
}> {
  const started = answers.map(() => new Deferred());
  let calls = 0;
  const makeServer = (): McpServer => {
    const server = new McpServer({ name: 'test', version: '1' });
    server.registerTool('wait', {}, async () => {
      const call = calls++;
      started[call]!.resolve();
      await answers[call]!.promise;
      return { content: [{ type: 'text', text: 'done' }] };
    });
    return server;
  };
  const http = createHttpServer(makeServer, {
    host: '127.0.0.1',
    tokens: [],
    log: silentLogger,
    ...further,
  });
  onTestFinished(() => http.close());
  http.server.listen(0, '127.0.0.1');
  await once(http.server, 'listening');
  const url = `http://127.0.0.1:${(http.server.address() as AddressInfo).port}/mcp`;
  const meta = {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const post = (method: string, params: object, name?: string): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': REVISION,
        'Mcp-Method': method,
        ...(further.accessTokens !== undefined && { Authorization: 'Bearer x' }),
        ...(name !== undefined && { 'Mcp-Name': name }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }),
    });
  return { http, post, started };
}

test('drain() waits for requests that came after it was called, too', async () => {
  const answers = [new Deferred(), new Deferred()];
  const { http, post, started } = await start(answers);
  const call = (): Promise<Response> => post('tools/call', { name: 'wait', arguments: {} }, 'wait');
  const first = call();
  await started[0]!.promise;
  let isDrained = false;
  const drained = http.drain().then(() => (isDrained = true));
  const second = call();
  await started[1]!.promise;
  answers[0]!.resolve();
  expect(await (await first).text()).toContain('done');
  // By then it was told that the first response is closed.
  const probe = await fetch(new URL('/healthz', (await first).url));
  await probe.text();
  expect(isDrained).toBe(false);
  answers[1]!.resolve();
  expect(await (await second).text()).toContain('done');
  await drained;
});

test('drain() lets every response close its connection, also of requests that came before, and event streams', async () => {
  const answers = [new Deferred(), new Deferred()];
  const { http, post, started } = await start(answers);
  const before = post('tools/call', { name: 'wait', arguments: {} }, 'wait');
  await started[0]!.promise;
  const kept = await post('tools/list', {});
  expect(kept.headers.get('connection')).toBe('keep-alive');
  await kept.text();
  const drained = http.drain();
  const listening = await post('subscriptions/listen', { notifications: { toolsListChanged: true } });
  expect(listening.headers.get('content-type')).toContain('text/event-stream');
  expect(listening.headers.get('connection')).toBe('close');
  await listening.body!.cancel();
  answers[0]!.resolve();
  const answer = await before;
  expect(await answer.text()).toContain('done');
  expect(answer.headers.get('connection')).toBe('close');
  await drained;
});

test.each<[string, AuthInfo | Refusal, string]>([
  ['good', { token: 'client', clientId: 'client', scopes: [] }, 'done'],
  ['refused', { status: 503, message: 'not now' }, 'not now'],
])('drain() waits for a request whose token is being checked, and is %s', async (_what, verdict, text) => {
  const [asked, keys, called] = [new Deferred(), new Deferred(), new Deferred()];
  class SlowIssuer extends AccessTokens {
    override async admit(): Promise<AuthInfo | Refusal> {
      asked.resolve();
      await keys.promise;
      return verdict;
    }
  }
  const accessTokens = new SlowIssuer({
    issuer: 'https://login.example.com',
    audience: ['here'],
    log: silentLogger,
  });
  const { http, post } = await start([called], { accessTokens });
  const answer = post('tools/call', { name: 'wait', arguments: {} }, 'wait');
  await asked.promise;
  const closed = http.drain().then(() => http.close());
  keys.resolve();
  called.resolve();
  expect(await (await answer).text()).toContain(text);
  await closed;
});

test('drain() does not wait for streams without an end', async () => {
  const { http, post } = await start([]);
  const stream = await post('subscriptions/listen', { notifications: { toolsListChanged: true } });
  const reader = stream.body!.getReader();
  expect(new TextDecoder().decode((await reader.read()).value)).toContain('acknowledged');
  await http.drain();
  await reader.cancel();
});

/** A server that only notes its requests, and a request to it. */
async function noting(
  method: string,
  note: (follow: () => void, response: ServerResponse, client: ClientRequest) => void,
): Promise<Draining> {
  const draining = new Draining();
  const server = createServer((request, response) => {
    note(() => draining.follow(request, response), response, client);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = send({ port, host: '127.0.0.1', method }).end();
  client.on('error', () => undefined);
  return draining;
}

test('Draining does not wait for the stream of a session', async () => {
  const followed = new Deferred();
  const draining = await noting('GET', (follow) => {
    follow();
    followed.resolve();
  });
  await followed.promise;
  await draining.drain();
});

test('Draining does not wait for a client that had left before its request was served', async () => {
  const left = new Deferred();
  const draining = await noting('POST', (follow, response, client) => {
    response.once('close', () => {
      follow();
      left.resolve();
    });
    client.destroy();
  });
  await left.promise;
  await draining.drain();
});
