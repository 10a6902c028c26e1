import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { McpServer } from '@modelcontextprotocol/server';
import type { Clock } from '@rootward/core';
import { afterEach, expect, test } from 'vitest';
import { createHttpServer, type HttpServer } from '../../../src/serve/http/http-server.js';

const log = { debug() {}, info() {}, warn() {} };
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
};

let running: HttpServer | undefined;
afterEach(() => running?.close());

/** A clock that moves when told to. */
class SteppedClock implements Clock {
  #now = 0;
  readonly #timers = new Set<{ readonly at: number; readonly callback: () => void }>();

  now(): number {
    return this.#now;
  }

  setTimeout(callback: () => void, delay: number): { clear(): void } {
    const timer = { at: this.#now + delay, callback };
    this.#timers.add(timer);
    return { clear: () => void this.#timers.delete(timer) };
  }

  advance(milliseconds: number): void {
    this.#now += milliseconds;
    for (const timer of this.#timers) {
      if (timer.at > this.#now) continue;
      this.#timers.delete(timer);
      timer.callback();
    }
  }
}

async function start(
  clock: Clock,
  tokens: readonly string[] = [],
): Promise<{ http: HttpServer; url: string }> {
  const http = createHttpServer(() => new McpServer({ name: 'test', version: '1' }), {
    host: '127.0.0.1',
    tokens,
    log,
    clock,
    sessionIdleTimeout: 1000,
  });
  running = http;
  http.server.listen(0, '127.0.0.1');
  await once(http.server, 'listening');
  return { http, url: `http://127.0.0.1:${(http.server.address() as AddressInfo).port}/mcp` };
}

function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(body),
  });
}

test('createHttpServer() releases sessions that were idle for too long, and only those', async () => {
  const clock = new SteppedClock();
  const { http, url } = await start(clock);
  const opened = await Promise.all([post(url, INITIALIZE), post(url, INITIALIZE)]);
  const [idle, busy] = opened.map((response) => response.headers.get('mcp-session-id') ?? '');
  expect(http.handler.sessions).toBe(2);
  const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };
  clock.advance(600);
  expect((await post(url, ping, { 'Mcp-Session-Id': busy! })).status).toBe(200);
  clock.advance(600);
  expect(http.handler.sessions).toBe(1);
  expect((await post(url, ping, { 'Mcp-Session-Id': idle! })).status).toBe(404);
  expect((await post(url, ping, { 'Mcp-Session-Id': busy! })).status).toBe(200);
});

test('createHttpServer() ends with sessions and streams open', async () => {
  const { http, url } = await start(new SteppedClock());
  const session = (await post(url, INITIALIZE)).headers.get('mcp-session-id') ?? '';
  const stream = await fetch(url, { headers: { Accept: 'text/event-stream', 'Mcp-Session-Id': session } });
  expect(stream.status).toBe(200);
  const closed = once(http.server, 'close');
  await http.close();
  await closed;
  expect(http.handler.sessions).toBe(0);
});

test('createHttpServer() tells whom it refuses that the connection ends, and serves the next', async () => {
  const { url } = await start(new SteppedClock());
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const send = async (headers: Record<string, string>): Promise<IncomingMessage> => {
    const sent = request(url, { method: 'POST', agent, headers: { Accept: 'application/json', ...headers } });
    sent.end('{');
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    await once(response, 'end');
    return response;
  };
  for (const headers of [{ Origin: 'https://evil.example' }, { Host: 'evil.example' }]) {
    expect(await send(headers)).toMatchObject({ statusCode: 403, headers: { connection: 'close' } });
  }
  const served = await send({ 'Content-Type': 'application/json' });
  // For how long a connection can be used again is told with it.
  expect(served).toMatchObject({ statusCode: 406, headers: { 'keep-alive': 'timeout=5' } });
  agent.destroy();
});

// `fetch()` itself refuses to send the last one, as it would refuse to take it.
test.each(['PUT', 'OPTIONS', 'TRACE'])('createHttpServer() answers %s with what it takes', async (method) => {
  const { url } = await start(new SteppedClock());
  const sent = request(url, { method }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  expect(response.statusCode).toBe(405);
  expect(response.headers.allow).toBe('GET, POST, DELETE');
});

/** Sends these bytes, and what comes after what was said in the answer; resolves to all of it. */
async function sendRaw(url: string, text: string, after = '', rest = ''): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(text);
  let answer = '';
  for await (const chunk of socket.setEncoding('utf8') as AsyncIterable<string>) {
    answer += chunk;
    if (after !== '' && answer.includes(after)) socket.write(rest);
  }
  return answer;
}

test.each([
  ['GET', '/healthz', 'localhost', 200],
  ['GET', '/healthz', 'balancer.example', 200],
  ['PUT', '/mcp', 'LOCALHOST:80', 405],
  ['PUT', '', 'localhost', 404],
  ['PUT', '?/mcp', 'localhost', 404],
  ['PUT', '/mcp', 'evil.example', 403],
  ['PUT', '/mcp', 'evil.example@localhost', 403],
  ['PUT', '/mcp', 'localhost@evil.example', 403],
])(
  'createHttpServer() takes %s of the path %j at %s as if that was its Host',
  async (method, path, host, status) => {
    const { url } = await start(new SteppedClock());
    for (const header of ['localhost', 'evil.example']) {
      const target = `http://${host}${path}`;
      const answer = await sendRaw(
        url,
        `${method} ${target} HTTP/1.1\r\nHost: ${header}\r\nConnection: close\r\n\r\n`,
      );
      expect([header, answer.split(' ')[1]]).toEqual([header, String(status)]);
    }
  },
);

const waiting = (more: string): string =>
  `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n${more}Expect: 100-continue\r\nConnection: close\r\n`;

test('createHttpServer() invites whoever waits for it to send a body only after the checks', async () => {
  const token = 'a-token-for-tests-1';
  const { url } = await start(new SteppedClock(), [token]);
  const body = JSON.stringify(INITIALIZE);
  const length = `Content-Length: ${body.length}\r\n\r\n`;
  const invited = await sendRaw(
    url,
    waiting(`Authorization: Bearer ${token}\r\n`) + length,
    '100 Continue',
    body,
  );
  expect(invited).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/);
  const stranger = await sendRaw(url, waiting('') + length, ' 401 ', body);
  expect(stranger).toMatch(/^HTTP\/1\.1 401 /);
  const tooLarge = waiting(`Authorization: Bearer ${token}\r\n`) + 'Content-Length: 99999999\r\n\r\n';
  expect(await firstLine(url, tooLarge)).toMatch(/^HTTP\/1\.1 413 /);
});

/** What comes first; the connection is given up then. */
async function firstLine(url: string, text: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(text);
  const [chunk] = (await once(socket.setEncoding('utf8'), 'data')) as [string];
  socket.destroy();
  return chunk;
}

function rawPost(path: string, token: string, more = ''): string {
  const body = JSON.stringify(INITIALIZE);
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n${more}Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

test('createHttpServer() carries out nothing that was sent behind a request it refuses', async () => {
  const token = 'a-token-for-tests-1';
  const { http, url } = await start(new SteppedClock(), [token]);
  for (const [refused, status] of [
    [rawPost('/mcp', 'another-token-123'), 401],
    [rawPost('/elsewhere', token), 404],
  ] as const) {
    const answer = await sendRaw(url, refused + rawPost('/mcp', token));
    expect(answer.match(/^HTTP\/1\.1 \d+/gm)).toEqual([`HTTP/1.1 ${status}`]);
    expect(http.handler.sessions).toBe(0);
  }
});

test('createHttpServer() closes a connection after an event stream where the client asks for that', async () => {
  const token = 'a-token-for-tests-1';
  const { url } = await start(new SteppedClock(), [token]);
  const answer = await sendRaw(url, rawPost('/mcp', token, 'Connection: close\r\n'));
  expect(answer).toContain('text/event-stream');
  expect(answer.match(/^connection: .*$/gim)).toEqual(['Connection: close']);
});

test.each(['Host: evil.example', 'Authorization: Bearer another-token-123', 'Origin: https://evil.example'])(
  'createHttpServer() looks at %s behind any number of headers',
  async (header) => {
    const token = 'a-token-for-tests-1';
    const { url } = await start(new SteppedClock(), [token]);
    const many = 'A: a\r\n'.repeat(2000);
    const answer = await sendRaw(url, rawPost('/mcp', token, `Connection: close\r\n${many}${header}\r\n`));
    expect(answer).toMatch(/^HTTP\/1\.1 40[03] /);
  },
);
