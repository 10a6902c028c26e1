import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';

const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));
const SERVER = fixture('stubborn-server.mjs');

interface Running {
  readonly child: ChildProcess;
  readonly stderr: () => string;
  /** Resolves when the server and everything it started have let go of the pipe they share. */
  readonly treeGone: Promise<unknown>;
  readonly exited: Promise<unknown[]>;
  write(...messages: unknown[]): void;
  /** Resolves with the answer to the request with this id. */
  answer(id: number): Promise<unknown>;
}

const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

function start(args: readonly string[] = [SERVER]): Running {
  const child = spawn(process.execPath, [...args], { stdio: ['pipe', 'pipe', 'pipe', 'pipe'] });
  running.push(child);
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => (stderr += String(chunk)));
  const pipe = child.stdio[3] as Readable;
  pipe.resume();
  const answers = new Map<number, unknown>();
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (text) => {
    const message = JSON.parse(text) as { id: number };
    answers.set(message.id, message);
    lines.emit('answer');
  });
  child.stdin.on('error', () => undefined);
  return {
    child,
    stderr: () => stderr,
    treeGone: once(pipe, 'close'),
    exited: once(child, 'close'),
    write: (...messages) => {
      child.stdin.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
    },
    answer: async (id) => {
      while (!answers.has(id)) await once(lines, 'answer');
      return answers.get(id);
    },
  };
}

const call = (id: number, name: string) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: {} },
});

/** Brings the server to the point where a request, a timer, a shutdown hook and two child trees are pending. */
async function occupy(server: Running): Promise<void> {
  server.write(
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
    },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    call(2, 'hang'),
    call(3, 'spawn'),
  );
  expect(await server.answer(3)).toMatchObject({ result: { content: [{ text: 'started' }] } });
}

test('a guarded server leaves with its children when stdin ends', async () => {
  const server = start();
  await occupy(server);
  server.child.stdin!.end();
  expect(await server.exited).toEqual([0, null]);
  await server.treeGone;
  expect(server.stderr()).toBe('');
});

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('a guarded server leaves on %s', async (signal) => {
  const server = start();
  await occupy(server);
  server.child.kill(signal);
  expect(await server.exited).toEqual([0, null]);
  await server.treeGone;
});

test('a guarded server leaves on the first write to a closed stdout, without a word', async () => {
  const server = start();
  await occupy(server);
  server.child.stdout!.destroy();
  server.write({ jsonrpc: '2.0', id: 9, method: 'ping' });
  expect(await server.exited).toEqual([0, null]);
  await server.treeGone;
  expect(server.stderr()).toBe('');
});

test('a guarded server goes on when nobody reads stderr', async () => {
  const server = start();
  await occupy(server);
  server.child.stderr!.destroy();
  server.write(call(4, 'print'), call(5, 'print'), { jsonrpc: '2.0', id: 6, method: 'ping' });
  expect(await server.answer(6)).toMatchObject({ result: {} });
  server.child.stdin!.end();
  await once(server.child, 'exit');
});

test('a guarded server leaves when its parent is killed, although its stdin stays open', async () => {
  const server = start([fixture('inherit-stdio.mjs'), SERVER]);
  await occupy(server);
  server.child.kill('SIGKILL');
  await expect(server.treeGone).resolves.toBeDefined();
});

test('a guarded server keeps stray console output off stdout', async () => {
  const server = start();
  await occupy(server);
  server.write(call(4, 'print'));
  expect(await server.answer(4)).toMatchObject({ result: {} });
  server.child.stdin!.end();
  await server.exited;
  expect(server.stderr()).toBe('a stray line\n');
});

test('a guarded server ends with a reason on a line over 10 MB', async () => {
  const server = start();
  await occupy(server);
  server.child.stdin!.write('x'.repeat(10 * 1024 * 1024 + 1));
  expect(await server.exited).toEqual([1, null]);
  expect(server.stderr()).toMatch(/^Cannot read message: its line exceeds 10485760 bytes; .*\n$/);
});

test('a guarded server answers what was piped in before stdin ended', async () => {
  const server = start([SERVER, '30000']);
  server.write(
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
    },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 2, method: 'tools/list' },
  );
  server.child.stdin!.end();
  expect(await server.answer(2)).toMatchObject({ result: { tools: [{}, {}, {}] } });
  expect(await server.exited).toEqual([0, null]);
});
