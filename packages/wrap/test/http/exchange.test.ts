import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, expect, test } from 'vitest';
import { Exchange } from '../../src/http/exchange.js';

const server = createServer().listen(0, '127.0.0.1');
afterEach(() => {
  server.closeAllConnections();
});
afterAll(() => {
  server.close();
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
  if (!server.listening) await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const got = once(get({ port, agent: false }), 'response') as Promise<[IncomingMessage]>;
  const exchange = new Exchange((await asked)[1], 1);
  exchange.event(Buffer.from('1'));
  exchange.event(Buffer.from('2'));
  exchange.answer(Buffer.from('3'));
  const text = Buffer.concat(await (await got)[0].toArray()).toString();
  expect(text).toBe(['1', '2', '3'].map((data) => `event: message\ndata: ${data}\n\n`).join(''));
});

test('Exchange is closed where the client left before its request was handled', async () => {
  if (!server.listening) await once(server, 'listening');
  const asked = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
  const { port } = server.address() as AddressInfo;
  const sent = get({ port, agent: false }).on('error', () => undefined);
  const [, response] = await asked;
  sent.destroy();
  await once(response, 'close');
  for (const answers of [0, 1]) {
    const exchange = new Exchange(response, answers);
    let closed = 0;
    exchange.onClose(() => (closed += 1));
    expect({ closed, isOpen: exchange.isOpen }).toEqual({ closed: 1, isOpen: false });
    exchange.event(Buffer.from('1'));
    exchange.answer(Buffer.from('2'));
    exchange.end();
  }
  expect(response.headersSent).toBe(false);
});

test('Exchange is closed by the close of a response that never had its connection', async () => {
  const response = await connect();
  // As for a request that waited behind another one of a connection that is gone.
  const exchange = new Exchange(response, 0);
  let closed = 0;
  exchange.onClose(() => (closed += 1));
  response.emit('close');
  expect({ closed, isOpen: exchange.isOpen }).toEqual({ closed: 1, isOpen: false });
});
