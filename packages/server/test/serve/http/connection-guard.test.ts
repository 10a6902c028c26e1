import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { McpServer, type AuthInfo } from '@modelcontextprotocol/server';
import type { Logger } from '@rootward/core';
import { Deferred, silentLogger } from '@rootward/core/platform';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../../../../testing/eventually.js';
import {
  createHttpServer,
  type HttpServer,
  type HttpServerOptions,
} from '../../../src/serve/http/http-server.js';
import { AccessTokens, type Refusal } from '../../../src/serve/oauth/access-tokens.js';

const TOKEN = 'a-token-for-tests-1';
const OTHER_TOKEN = 'a-token-for-tests-2';
const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const HALF = 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: applic';

let running: HttpServer | undefined;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await running?.close();
});

async function start(tokens: readonly string[], further: Partial<HttpServerOptions> = {}): Promise<number> {
  running = createHttpServer(() => new McpServer({ name: 'test', version: '1' }), {
    host: '127.0.0.1',
    tokens,
    log: silentLogger,
    ...further,
  });
  running.server.listen(0, '127.0.0.1');
  await once(running.server, 'listening');
  return (running.server.address() as AddressInfo).port;
}

/** A connection that has sent this and nothing more. */
async function open(port: number, text: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}

/** The first line of the answer on a connection. */
async function answerOn(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket) {
    text += String(chunk);
    if (text.includes('\r\n')) break;
  }
  return text.split('\r\n', 1)[0] ?? '';
}

/** The same of one that stays open. */
async function firstLine(socket: Socket): Promise<string> {
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  return String(chunk).split('\r\n', 1)[0] ?? '';
}

function whole(headers: string): string {
  return `POST /mcp HTTP/1.1\r\n${headers}Content-Length: ${PING.length}\r\n\r\n${PING}`;
}

test('a client with a token is served while a thousand strangers have sent half a request', async () => {
  const port = await start([TOKEN]);
  for (let count = 0; count < 1100; count += 100) {
    await Promise.all(Array.from({ length: 100 }, () => open(port, HALF)));
  }
  const client = await open(port, whole(`Host: localhost\r\nAuthorization: Bearer ${TOKEN}\r\n`));
  // Not initialized, and without the right headers: what counts is that somebody answers.
  expect(await answerOn(client)).toMatch(/^HTTP\/1\.1 4/);
  expect(await answerOn(await open(port, whole('Host: localhost\r\n')))).toBe('HTTP/1.1 401 Unauthorized');
});

test('without tokens, whoever keeps a stream open is known, although it sends no body', async () => {
  const port = await start([]);
  const listen = 'GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n';
  const clients = await Promise.all(Array.from({ length: 200 }, () => open(port, listen)));
  // Refused, since they name no session: what counts is the connection.
  expect(new Set(await Promise.all(clients.map(firstLine)))).toEqual(new Set(['HTTP/1.1 400 Bad Request']));
  const strangers = await Promise.all(Array.from({ length: 200 }, () => open(port, HALF)));
  let dropped = 0;
  for (const socket of strangers) socket.once('close', () => (dropped += 1)).resume();
  await eventually(() => expect(dropped).toBeGreaterThan(50));
  for (const client of clients) client.write(listen);
  expect(new Set(await Promise.all(clients.map(firstLine)))).toEqual(new Set(['HTTP/1.1 400 Bad Request']));
});

test('a connection that has shown a token is not dropped for strangers', async () => {
  const port = await start([TOKEN]);
  const request = whole(`Host: localhost\r\nAuthorization: Bearer ${TOKEN}\r\n`);
  const client = await open(port, request);
  client.once('data', () => undefined);
  await once(client, 'data');
  await Promise.all(Array.from({ length: 300 }, () => open(port, HALF)));
  client.write(request);
  expect(await answerOn(client)).toMatch(/^HTTP\/1\.1 4/);
});

/** Opens connections, sends this on all of them once it is told to, says when it has, and posts what they got back. */
const CROWD = `
  const { connect } = require('node:net');
  const { parentPort, workerData: { port, text, count, turns } } = require('node:worker_threads');
  const answers = [];
  let connected = 0;
  const sockets = Array.from({ length: count }, () => {
    let answer = '';
    return connect(port, '127.0.0.1', () => {
      if (++connected < count) return;
      Atomics.wait(turns, 0, 0);
      for (const socket of sockets) socket.write(text);
      Atomics.store(turns, 1, 1);
      Atomics.notify(turns, 1);
    })
      .on('error', () => undefined)
      .on('data', function (chunk) {
        answer += chunk;
        if (answer.includes('\\n')) this.destroy();
      })
      .on('close', () => {
        answers.push(answer.split('\\n', 1)[0]);
        if (answers.length === count) parentPort.postMessage(answers);
      });
  });`;

test('clients with a token that come all at once, and are heard a moment later, are all served', async () => {
  const port = await start([TOKEN]);
  const text = whole(`Host: localhost\r\nAuthorization: Bearer ${TOKEN}\r\n`);
  const turns = new Int32Array(new SharedArrayBuffer(8));
  const crowd = new Worker(CROWD, { eval: true, workerData: { port, text, count: 400, turns } });
  const message = once(crowd, 'message');
  let taken = 0;
  running?.server.on('connection', () => {
    taken += 1;
    if (taken !== 200) return;
    Atomics.store(turns, 0, 1);
    Atomics.notify(turns, 0);
    // However long they take, nothing happens here meanwhile.
    Atomics.wait(turns, 1, 0);
  });
  const [answers] = (await message) as [string[]];
  await crowd.terminate();
  expect(answers.filter((line) => !line.startsWith('HTTP/1.1 4'))).toEqual([]);
});

/** A connection that has been answered and stays open. */
async function openKnown(port: number, token: string): Promise<Socket> {
  const socket = await open(port, whole(`Host: localhost\r\nAuthorization: Bearer ${token}\r\n`));
  await once(socket, 'data');
  return socket;
}

/** Has half a request sent on each connection, and says how to send the rest. */
async function occupy(known: readonly Socket[], headers: string): Promise<() => void> {
  const request = whole(headers);
  let come = 0;
  running?.server.on('request', () => (come += 1));
  for (const socket of known) socket.write(request.slice(0, -1));
  await eventually(() => expect(come).toBe(known.length));
  return () => {
    for (const socket of known) socket.write(request.slice(-1));
  };
}

describe('where all places are taken', () => {
  const warnings: unknown[] = [];
  const warn: Logger['warn'] = (message, fields) => void warnings.push([message, fields]);
  /** Six, and as many for strangers. */
  const full = { maxConnections: 12, log: { ...silentLogger, warn } };
  beforeEach(() => void warnings.splice(0));

  test('whoever has them all is refused with the reason, and what it has goes on', async () => {
    const port = await start([TOKEN], full);
    const known: Socket[] = [];
    for (let count = 0; count < 6; count++) known.push(await openKnown(port, TOKEN));
    const headers = `Host: localhost\r\nAuthorization: Bearer ${TOKEN}\r\n`;
    const sendRest = await occupy(known, headers);
    for (let count = 0; count < 2; count++) {
      const refused = await open(port, whole(headers));
      const [answer] = (await once(refused, 'data')) as [Buffer];
      expect(String(answer)).toMatch(/^HTTP\/1\.1 503 [^]*Retry-After: 5\r\n[^]*Too many connections/);
    }
    sendRest();
    expect(await Promise.all(known.map(answerOn))).toEqual(
      known.map(() => expect.stringMatching(/^HTTP\/1\.1 4(?!29)/)),
    );
    expect(warnings).toEqual([
      [expect.stringMatching(/^all places for connections are taken/), { places: 12 }],
    ]);
  });

  test('whoever has most makes way for another, until both have as many', async () => {
    const port = await start([TOKEN, OTHER_TOKEN], full);
    const greedy: Socket[] = [];
    for (let count = 0; count < 6; count++) greedy.push(await openKnown(port, TOKEN));
    const ended = greedy.map(() => false);
    for (const [index, socket] of greedy.entries())
      socket.once('close', () => (ended[index] = true)).resume();
    for (let count = 0; count < 3; count++) await openKnown(port, OTHER_TOKEN);
    const half = [true, true, true, false, false, false];
    await eventually(() => expect(ended).toEqual(half));
    // From then on it makes way for itself.
    for (let count = 0; count < 3; count++) await openKnown(port, OTHER_TOKEN);
    expect(ended).toEqual(half);
  });

  test('an idle connection makes way for another of the same principal', async () => {
    const port = await start([TOKEN], full);
    const headers = `Host: localhost\r\nAuthorization: Bearer ${TOKEN}\r\n`;
    const busy: Socket[] = [];
    for (let count = 0; count < 5; count++) busy.push(await openKnown(port, TOKEN));
    const sendRest = await occupy(busy, headers);
    for (let count = 0; count < 20; count++) {
      const socket = await open(port, whole(headers));
      let text = '';
      socket.on('data', (chunk) => (text += String(chunk)));
      // All of it: until then somebody waits on the connection.
      await eventually(() => expect(text).toMatch(/^HTTP\/1\.1 4[^]*\r\n0\r\n\r\n$/));
    }
    sendRest();
    expect(new Set(await Promise.all(busy.map(answerOn))).size).toBe(1);
  });

  test('balancers are answered, also beside strangers', async () => {
    const port = await start([TOKEN], full);
    for (let count = 0; count < 6; count++) await openKnown(port, TOKEN);
    for (let count = 0; count < 20; count++) await open(port, HALF);
    const probe = await open(port, 'GET /healthz HTTP/1.1\r\nHost: probe\r\n\r\n');
    expect(await answerOn(probe)).toBe('HTTP/1.1 200 OK');
  });

  test('a place that is given back is free', async () => {
    const port = await start([TOKEN], full);
    const known: Socket[] = [];
    for (let count = 0; count < 6; count++) known.push(await openKnown(port, TOKEN));
    for (const socket of known) socket.destroy();
    await eventually(async () =>
      expect(
        await answerOn(await open(port, whole(`Host: localhost\r\nAuthorization: Bearer ${TOKEN}\r\n`))),
      ).toMatch(/^HTTP\/1\.1 4/),
    );
  });

  test('a connection that nobody waits on makes way before one with an open request', async () => {
    const port = await start([TOKEN, OTHER_TOKEN], full);
    const authorization = `Host: localhost\r\nAuthorization: Bearer ${TOKEN}\r\n`;
    const half = `POST /mcp HTTP/1.1\r\n${authorization}Content-Length: 99\r\n\r\n{`;
    const first = await openKnown(port, TOKEN);
    first.write(half);
    const idle = [await openKnown(port, TOKEN)];
    for (let count = 0; count < 4; count++) idle.push(await openKnown(port, TOKEN));
    const ended: Socket[] = [];
    for (const socket of [first, ...idle]) socket.once('close', () => ended.push(socket)).resume();
    await openKnown(port, OTHER_TOKEN);
    await eventually(() => expect(ended).toEqual([idle[0]]));
  });

  test('tokens that are none take no place from others, however long their senders stay', async () => {
    class Refusing extends AccessTokens {
      override admit(): Promise<Refusal> {
        return Promise.resolve({ status: 401, error: 'invalid_token', message: 'no' });
      }
    }
    const accessTokens = new Refusing({
      issuer: 'https://login.example.com',
      audience: ['here'],
      log: silentLogger,
    });
    const publicUrl = 'https://mcp.example.com/mcp';
    const port = await start([TOKEN], { ...full, accessTokens, publicUrl });
    for (let count = 0; count < 5; count++) await openKnown(port, TOKEN);
    const wrong =
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer x\r\nContent-Length: 99\r\n\r\n{';
    for (let count = 0; count < 40; count++) await open(port, wrong);
    await openKnown(port, TOKEN);
    const probe = await open(port, 'GET /healthz HTTP/1.1\r\nHost: probe\r\n\r\n');
    expect(await answerOn(probe)).toBe('HTTP/1.1 200 OK');
  });

  test('tokens that are still being checked take no place from those that are known', async () => {
    class SilentIssuer extends AccessTokens {
      override admit(): Promise<Refusal> {
        return new Promise(() => {});
      }
    }
    const accessTokens = new SilentIssuer({
      issuer: 'https://login.example.com',
      audience: ['here'],
      log: silentLogger,
    });
    const publicUrl = 'https://mcp.example.com/mcp';
    const port = await start([TOKEN, OTHER_TOKEN], { ...full, accessTokens, publicUrl });
    const known = [await openKnown(port, TOKEN), await openKnown(port, TOKEN)];
    const ended: Socket[] = [];
    for (const socket of known) socket.once('close', () => ended.push(socket));
    const unknown = whole('Host: localhost\r\nAuthorization: Bearer x\r\n');
    for (let count = 0; count < 6; count++) await open(port, unknown);
    const request = whole(`Host: localhost\r\nAuthorization: Bearer ${OTHER_TOKEN}\r\n`);
    for (let count = 0; count < 4; count++) {
      expect(await firstLine(await open(port, request))).toMatch(/^HTTP\/1\.1 4/);
    }
    expect(ended).toEqual([]);
    const probe = await open(port, 'GET /healthz HTTP/1.1\r\nHost: probe\r\n\r\n');
    expect(await answerOn(probe)).toBe('HTTP/1.1 200 OK');
  });

  test('without tokens, too', async () => {
    const port = await start([], full);
    const known: Socket[] = [];
    for (let count = 0; count < 6; count++) known.push(await open(port, whole('Host: localhost\r\n')));
    await Promise.all(known.map((socket) => once(socket, 'data')));
    await occupy(known, 'Host: localhost\r\n');
    expect(await answerOn(await open(port, whole('Host: localhost\r\n')))).toMatch(/^HTTP\/1\.1 503/);
  });
});

test('strangers that have sent half a request are dropped but for the last of them', async () => {
  const port = await start([TOKEN]);
  const strangers = await Promise.all(Array.from({ length: 300 }, () => open(port, HALF)));
  const isOpen = strangers.map(() => true);
  for (const [index, socket] of strangers.entries()) {
    socket.resume();
    socket.once('close', () => (isOpen[index] = false));
  }
  await eventually(() => expect(isOpen.filter(Boolean).length).toBeLessThanOrEqual(128));
});

test('clients whose tokens take long to check are not dropped for strangers', async () => {
  const keys = new Deferred();
  class SlowIssuer extends AccessTokens {
    override async admit(): Promise<AuthInfo> {
      await keys.promise;
      return { token: 'client', clientId: 'client', scopes: [] };
    }
  }
  const accessTokens = new SlowIssuer({
    issuer: 'https://login.example.com',
    audience: ['here'],
    log: silentLogger,
  });
  const port = await start([], { accessTokens });
  const request = whole('Host: localhost\r\nAuthorization: Bearer x\r\n');
  const clients = await Promise.all(Array.from({ length: 300 }, () => open(port, request)));
  const strangers = await Promise.all(Array.from({ length: 300 }, () => open(port, HALF)));
  let dropped = 0;
  for (const socket of strangers) socket.once('close', () => (dropped += 1)).resume();
  await eventually(() => expect(dropped).toBeGreaterThan(100));
  keys.resolve();
  expect(new Set(await Promise.all(clients.map(answerOn)))).toEqual(new Set(['HTTP/1.1 406 Not Acceptable']));
});

test('without tokens, whoever sends whole requests is served among those who do not', async () => {
  const port = await start([]);
  for (let count = 0; count < 1100; count += 100) {
    await Promise.all(
      Array.from({ length: 100 }, () => open(port, `${HALF}ation/json\r\nContent-Length: 9\r\n\r\n{`)),
    );
  }
  expect(await answerOn(await open(port, whole('Host: localhost\r\n')))).toMatch(/^HTTP\/1\.1 4/);
});

test.each(['Host: localhost\r\nHost: evil.example\r\n', 'Host: evil.example\r\nhost: localhost\r\n'])(
  'two Host headers are refused: %j',
  async (hosts) => {
    const port = await start([TOKEN]);
    const client = await open(port, whole(`${hosts}Authorization: Bearer ${TOKEN}\r\n`));
    expect(await answerOn(client)).toBe('HTTP/1.1 400 Bad Request');
  },
);

test('two Authorization headers are refused, also where the first would do', async () => {
  const port = await start([TOKEN]);
  const both = `Authorization: Bearer ${TOKEN}\r\nauthorization: Bearer another-token\r\n`;
  const client = await open(port, whole(`Host: localhost\r\n${both}`));
  expect(await answerOn(client)).toBe('HTTP/1.1 400 Bad Request');
});

test('headers that do not come end the connection long before a request that does not', async () => {
  await start([TOKEN]);
  expect(running?.server).toMatchObject({ headersTimeout: 5000, requestTimeout: 60_000 });
});
