import { once } from 'node:events';
import { createServer, request, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { ChildRegistry, PreparedWorkspace } from '@rootward/mcp/host';
import { expect, onTestFinished, test, vi } from 'vitest';
import { eventually } from '../../../../testing/eventually.js';
import { LegacyClient } from '../../src/http/legacy-client.js';
import { WrapEndpoint } from '../../src/http/wrap-endpoint.js';
import { wrapScript } from '../fixtures/wrap-script.js';

const MAX_BODY_BYTES = 1000;
/** More than a connection takes that nobody reads from. */
const MORE_BYTES = 16 * 1024 * 1024;

function chunkOf(bytes: number): string {
  return `${bytes.toString(16)}\r\n${' '.repeat(bytes)}\r\n`;
}

async function start(children = new ChildRegistry()): Promise<number> {
  const endpoint = new WrapEndpoint({
    prepared: new PreparedWorkspace({ environment: {}, home: tmpdir(), hints: false, within: [tmpdir()] }),
    // Reads what it is sent, and answers nothing.
    ...wrapScript('process.stdin.resume()'),
    children,
    maxBodyBytes: MAX_BODY_BYTES,
  });
  const server = createServer((asked, response) => void endpoint.handle(asked, response, 'someone'));
  onTestFinished(() => {
    endpoint.close();
    server.close();
    server.closeAllConnections();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

test('WrapEndpoint lets a client read that its body is too large, and finish sending it', async () => {
  const port = await start();
  const client = connect(port, '127.0.0.1');
  let text = '';
  const head = 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n';
  client.write(`${head}${chunkOf(MAX_BODY_BYTES + 1)}`);
  client.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  while (!text.includes('too large')) await once(client, 'data');
  expect(text).toContain('HTTP/1.1 413');
  expect(text).toContain('Connection: close');
  // What was not read when a connection is closed resets it.
  client.write(`${chunkOf(MORE_BYTES)}0\r\n\r\n`);
  await once(client, 'end');
});

test('WrapEndpoint answers a body of just the size that is allowed', async () => {
  const port = await start();
  const sent = request({ port, host: '127.0.0.1', method: 'POST' });
  sent.end('{}'.padEnd(MAX_BODY_BYTES));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  expect(response.statusCode).toBe(400);
});

const INITIALIZE = { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} };
const PING = { jsonrpc: '2.0', id: 2, method: 'ping' };

test.each([
  ['initialize among others', JSON.stringify([INITIALIZE, PING]), 400],
  ['initialize that asks for no answer', JSON.stringify({ ...INITIALIZE, id: undefined }), 202],
  ['a batch with something else in it', JSON.stringify([{ ...PING, id: undefined }, 5]), 400],
  ['a line break inside a string', '{"jsonrpc":"2.0","method":"a\nb"}', 400],
  ['a line break between parts', '{"jsonrpc":"2.0",\n"method":"ab"}', 202],
])('WrapEndpoint opens no session for %s', async (_what, body, status) => {
  const port = await start();
  const sent = request({ port, host: '127.0.0.1', method: 'POST' });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  expect(response.statusCode).toBe(status);
  expect(response.headers['mcp-session-id']).toBeUndefined();
});

test('WrapEndpoint keeps no session of a client that leaves before it is opened', async () => {
  const close = vi.spyOn(LegacyClient.prototype, 'close');
  onTestFinished(() => close.mockRestore());
  const children = new ChildRegistry();
  const port = await start(children);
  const sent = request({ port, host: '127.0.0.1', method: 'POST' });
  sent.on('error', () => undefined).end(JSON.stringify(INITIALIZE));
  await eventually(() => expect(children.size).toBe(1));
  sent.destroy();
  await eventually(() => expect(close).toHaveBeenCalledOnce());
  await eventually(() => expect(children.size).toBe(0));
});
