import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { listen } from '../../../src/serve/http/listen.js';

const HOST = '127.0.0.1';
const open: Server[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

/** A port that is taken. */
async function takePort(port = 0): Promise<number> {
  const server = createServer();
  open.push(server);
  server.listen(port, HOST);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function newServer(): ReturnType<typeof createHttpServer> {
  const server = createHttpServer();
  open.push(server);
  return server;
}

test('listen() moves to the next free port where nobody named the port', async () => {
  const port = await takePort();
  expect(await listen(newServer(), { port, given: false }, HOST)).toBeGreaterThan(port);
});

test('listen() never moves away from a port that was named', async () => {
  const port = await takePort();
  await expect(listen(newServer(), { port, given: true }, HOST)).rejects.toMatchObject({
    code: 'usage',
    message: `Cannot listen on ${HOST}:${port}: the port is taken; name another one, or 0 for any that is free`,
  });
});

test('listen() takes any free port for 0', async () => {
  expect(await listen(newServer(), { port: 0, given: true }, HOST)).toBeGreaterThan(0);
});

test('listen() says what to do where no port near the default one is free', async () => {
  let port = await takePort();
  // At the end of the range there is nowhere to go.
  port = await takePort(65_535).catch(() => port);
  const outcome = listen(newServer(), { port: 65_535, given: false }, HOST);
  await expect(outcome).rejects.toThrow('are taken; name another one with --http PORT');
});

test('listen() says that a host is no address of this machine', async () => {
  // Reserved for documentation.
  const host = '192.0.2.1';
  await expect(listen(newServer(), { port: 0, given: true }, host)).rejects.toMatchObject({
    code: 'usage',
    message: `Cannot listen on ${host}: this machine has no such address (EADDRNOTAVAIL); name another one with --host`,
  });
});
