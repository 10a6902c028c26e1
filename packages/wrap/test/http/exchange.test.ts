import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { Exchange } from '../../src/http/exchange.js';

const server = createServer().listen(0, '127.0.0.1');
afterEach(() => {
  server.close().closeAllConnections();
});

/** What a client that reads nothing gets its response from. */
async function connect(): Promise<ServerResponse> {
  if (!server.listening) await once(server, 'listening');
  const asked = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
  const { port } = server.address() as AddressInfo;
  get({ port, agent: false }).on('error', () => undefined);
  return (await asked)[1];
}

test('Exchange ends a stream that only listens and is not read', async () => {
  const response = await connect();
  const exchange = new Exchange(response, 0);
  const event = Buffer.alloc(1024 * 1024, 'x');
  for (let sent = 0; sent < 64 && exchange.isOpen; sent++) exchange.event(event);
  expect(exchange.isOpen).toBe(false);
  expect(response.writableLength).toBeLessThan(32 * event.length);
});

test('Exchange sends messages without comments between them', async () => {
  const asked = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
  if (!server.listening) await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const got = once(get({ port, agent: false }), 'response') as Promise<[IncomingMessage]>;
  const exchange = new Exchange((await asked)[1], 1);
  exchange.event(Buffer.from('1'));
  exchange.event(Buffer.from('2'));
  exchange.answer(Buffer.from('3'));
  const text = Buffer.concat(await (await got)[0].toArray()).toString();
  expect(text).toBe(['1', '2', '3'].map((data) => `event: message\ndata: ${data}\n\n`).join(''));
});
