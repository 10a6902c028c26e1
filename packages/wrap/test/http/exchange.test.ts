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
