import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
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

async function start(clock: Clock): Promise<{ http: HttpServer; url: string }> {
  const http = createHttpServer(() => new McpServer({ name: 'test', version: '1' }), {
    host: '127.0.0.1',
    tokens: [],
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
