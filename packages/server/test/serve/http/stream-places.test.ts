import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { silentLogger } from '@rootward/core/platform';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../../../testing/eventually.js';
import { createGuardedServer } from '../../../src/serve/http/guarded-server.js';

const TOKENS = ['a-token-for-tests-1', 'a-token-for-tests-2'];
/** Half of them for connections without a token, and nine tenths of the rest for streams. */
const PLACES = 40;
const STREAMS = 18;

async function start(): Promise<Server> {
  const options = { host: '127.0.0.1', tokens: TOKENS, log: silentLogger, maxConnections: PLACES };
  const server = createGuardedServer(({ method }, response) => {
    response.writeHead(200);
    if (method === 'GET') response.flushHeaders();
    else response.end('answer');
  }, options);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return server;
}

function send(server: Server, token: number, method: 'GET' | 'POST'): Promise<Response> {
  const { port } = server.address() as AddressInfo;
  const headers = { Authorization: `Bearer ${TOKENS[token]}` };
  return fetch(`http://127.0.0.1:${port}/mcp`, { method, headers });
}

/** Whether a stream is open, or has ended. */
function isOver(stream: Response): () => boolean {
  let over = false;
  const ended = (): void => void (over = true);
  stream.body?.pipeTo(new WritableStream()).then(ended, ended);
  return () => over;
}

test('StreamPlaces leave room for requests, also for those of whoever has all streams', async () => {
  const server = await start();
  const streams = await Promise.all(Array.from({ length: STREAMS + 1 }, () => send(server, 0, 'GET')));
  const refused = streams.filter(({ status }) => status === 503);
  expect(await Promise.all(refused.map((stream) => stream.text()))).toEqual([
    expect.stringContaining('Too many streams'),
  ]);
  expect(refused[0]?.headers.get('retry-after')).toBe('5');
  for (const token of [0, 1]) expect(await (await send(server, token, 'POST')).text()).toBe('answer');
});

test('StreamPlaces of whoever has most make way for whoever has fewer', async () => {
  const server = await start();
  const first = isOver(await send(server, 0, 'GET'));
  const others = await Promise.all(Array.from({ length: STREAMS - 1 }, () => send(server, 0, 'GET')));
  const othersOver = others.map(isOver);
  const newcomer = await send(server, 1, 'GET');
  const newcomerOver = isOver(newcomer);
  expect(newcomer.status).toBe(200);
  await eventually(() => expect(first()).toBe(true));
  expect(othersOver.filter((over) => over())).toEqual([]);
  expect((await send(server, 0, 'GET')).status).toBe(503);
  expect(newcomerOver()).toBe(false);
});

/** One that nobody holds may be ended when memory is tidied up. */
const held: Response[] = [];

test('StreamPlaces are free again when a stream ends', async () => {
  const server = await start();
  const ending = new AbortController();
  const { port } = server.address() as AddressInfo;
  const headers = { Authorization: `Bearer ${TOKENS[0]}` };
  held.push(await fetch(`http://127.0.0.1:${port}/mcp`, { headers, signal: ending.signal }));
  held.push(...(await Promise.all(Array.from({ length: STREAMS - 1 }, () => send(server, 0, 'GET')))));
  expect((await send(server, 0, 'GET')).status).toBe(503);
  ending.abort();
  await eventually(async () => expect((await send(server, 0, 'GET')).status).toBe(200));
});
