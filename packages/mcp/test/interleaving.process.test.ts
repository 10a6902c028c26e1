import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { expect, test } from 'vitest';
import {
  answering,
  connectInProcess,
  connectToProcess,
  ScriptedClient,
  silent,
} from '../src/testing/index.js';
import type { Connection, Result } from '../src/testing/index.js';
import { createFactory } from './fixtures/roots-server.mjs';
import { makeFolders } from '../../../testing/temporary-folders.js';

const SERVER = fileURLToPath(new URL('fixtures/roots-server.mjs', import.meta.url));
const roots = makeFolders('a', 'b');
const A = [{ uri: roots.uri('a') }];
const B = [{ uri: roots.uri('b') }];
/** No call may go on without the answer here: an order that loses it shows as a test that does not end. */
const PATIENT = { readyTimeout: 3_600_000, answerTimeout: 3_600_000 };

function inProcess(): Connection {
  const connection = connectInProcess();
  serveStdio(createFactory(PATIENT), { transport: connection.transport });
  return connection;
}

function inAnotherProcess(): Connection {
  return connectToProcess(process.execPath, { args: [SERVER, '--stdio', JSON.stringify(PATIENT)] });
}

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, i) =>
    permutations([...items.slice(0, i), ...items.slice(i + 1)]).map((rest) => [item, ...rest]),
  );
}

/** How a chunk of messages reaches the server. */
const DELIVERIES: Readonly<Record<string, (client: ScriptedClient, bytes: Buffer) => void>> = {
  'in one chunk': (client, bytes) => client.sendBytes(bytes),
  'byte by byte': (client, bytes) => {
    for (let i = 0; i < bytes.length; i++) client.sendBytes(bytes.subarray(i, i + 1));
  },
};
const toBytes = (messages: readonly unknown[]): Buffer =>
  Buffer.from(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));

const answer = (id: unknown, list: readonly unknown[]) => ({ jsonrpc: '2.0', id, result: { roots: list } });
const pathsOf = (result: Result) => result['structuredContent'];

test.each(Object.entries(DELIVERIES))(
  'initialized, tools/list, tools/call and an answer nobody asked for, %s, in every order',
  async (_, deliver) => {
    for (const order of permutations(['initialized', 'list', 'call', 'answer'])) {
      const client = new ScriptedClient(inProcess(), { roots: answering(A) });
      await client.request('initialize', client.initializeParams());
      const messages: Record<string, unknown> = {
        initialized: { jsonrpc: '2.0', method: 'notifications/initialized' },
        list: client.prepare('list', 'tools/list'),
        call: client.prepare('call', 'tools/call', { name: 'look', arguments: { n: 1 } }),
        // The id that the first question will have.
        answer: answer(0, B),
      };
      const listed = client.expect('list', () => undefined);
      const called = client.expect('call', () => {
        deliver(client, toBytes(order.map((name) => messages[name])));
      });
      expect(await listed).toHaveProperty('tools');
      const seen = [roots.path('a')];
      expect(pathsOf(await called)).toEqual({ n: 1, before: seen, after: seen });
      expect(client.asked).toHaveLength(1);
      await client.close();
    }
  },
);

test.each(Object.entries(DELIVERIES))(
  'tools/list, tools/call, ping and the answer that is awaited, %s, in every order',
  async (_, deliver) => {
    for (const order of permutations(['list', 'call', 'ping', 'answer'])) {
      const client = new ScriptedClient(inProcess(), { roots: silent });
      await client.connect();
      await client.whenAsked(1);
      const question = client.received.find(
        (message) => 'method' in message && message.method === 'roots/list',
      );
      const messages: Record<string, unknown> = {
        list: client.prepare('list', 'tools/list'),
        call: client.prepare('call', 'tools/call', { name: 'look', arguments: { n: 1 } }),
        ping: client.prepare('ping', 'ping'),
        answer: answer((question as { id: number }).id, A),
      };
      const listed = client.expect('list', () => undefined);
      const pinged = client.expect('ping', () => undefined);
      const called = client.expect('call', () => {
        deliver(client, toBytes(order.map((name) => messages[name])));
      });
      expect(await listed).toHaveProperty('tools');
      expect(await pinged).toEqual({});
      const seen = [roots.path('a')];
      expect(pathsOf(await called)).toEqual({ n: 1, before: seen, after: seen });
      expect(client.asked).toHaveLength(1);
      await client.close();
    }
  },
);

test('tools/list and ping are answered while the roots are awaited', async () => {
  const client = new ScriptedClient(inAnotherProcess(), { roots: silent });
  await client.connect();
  const called = client.callTool('look', { n: 1 });
  await client.whenAsked(1);
  await client.request('tools/list');
  await client.request('ping');
  client.asked[0]!.answer(A);
  expect(pathsOf(await called)).toMatchObject({ before: [roots.path('a')] });
  await client.close();
});

test('5,000 notifications over a pipe lead to at most two questions', async () => {
  const client = new ScriptedClient(inAnotherProcess(), { roots: answering(A) });
  await client.connect();
  await client.callTool('look', { n: 1 });
  const before = client.asked.length;
  client.changeRoots(answering(B), 5000);
  expect(pathsOf(await client.callTool('look', { n: 2 }))).toMatchObject({ before: [roots.path('b')] });
  expect(client.asked.length - before).toBeLessThanOrEqual(2);
  await client.close();
});

const CHANGES = 100;
const CALLS_PER_CHANGE = 10;
const version = (i: number): string[] => ['x', 'y'].map((side) => join(roots.top, `${String(i)}-${side}`));

test.each([
  ['in one process', inProcess],
  ['over a pipe', inAnotherProcess],
])(
  '1,000 calls while roots change 100 times, %s: each sees one list, none an old one',
  async (_, connect) => {
    for (let i = 0; i <= CHANGES; i++) for (const path of version(i)) mkdirSync(path, { recursive: true });
    const listOf = (i: number) => version(i).map((path) => ({ uri: pathToFileURL(path).href }));

    let current = 0;
    const client = new ScriptedClient(connect(), { roots: (asked) => asked.answer(listOf(current)) });
    await client.connect();
    await client.callTool('look', { n: -1 });

    const calls: Promise<void>[] = [];
    for (let change = 1; change <= CHANGES; change++) {
      current = change;
      client.changeRoots();
      for (let i = 0; i < CALLS_PER_CHANGE; i++) {
        const n = change * CALLS_PER_CHANGE + i;
        calls.push(check(n, change));
      }
      if (change % 10 === 0) await Promise.race(calls.slice(-CALLS_PER_CHANGE));
    }
    await Promise.all(calls);
    expect(pathsOf(await client.callTool('look', { n: 0 }))).toEqual({
      n: 0,
      before: version(CHANGES),
      after: version(CHANGES),
    });
    await client.close();

    /** The call left after the notice of `change`, so it may see that list or a later one, and only one of them. */
    async function check(n: number, change: number): Promise<void> {
      const seen = pathsOf(await client.callTool('look', { n })) as {
        n: number;
        before: string[];
        after: string[];
      };
      const latest = Array.from({ length: CHANGES - change + 1 }, (__, i) => version(change + i));
      expect(seen.n).toBe(n);
      expect(latest).toContainEqual(seen.before);
      expect(seen.after).toEqual(seen.before);
    }
  },
);
