import { once } from 'node:events';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answering, ScriptedClient } from '@rootward/mcp/testing';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { connectRootward, makeFolders, startRootward, textOf } from '../fixtures/rootward.js';

const folders = makeFolders('a');
const ROOT = ['--root', folders.path('a')];
const HANDSHAKE =
  '{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}\n{"jsonrpc":"2.0","method":"notifications/initialized"}\n';
test.each([
  ['junk', 'no json at all\n{"half":\n'],
  ['empty lines and blanks', '\n\n   \n\t\n'],
  ['an empty batch', '[]\n'],
  ['a batch of junk', '[1,null,"x",{}]\n'],
  ['numbers, strings, null and lists', '1\n"x"\nnull\ntrue\n[[]]\n'],
  ['an answer nobody asked for', '{"jsonrpc":"2.0","id":99,"result":{"roots":[]}}\n'],
  ['an error nobody asked for', '{"jsonrpc":"2.0","id":"","error":{"code":1,"message":"x"}}\n'],
  ['a request without a known method', '{"jsonrpc":"2.0","id":5,"method":"nonsense"}\n'],
  ['a request with a strange id', '{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}\n'],
  ['a handshake in the middle', HANDSHAKE],
])('rootward goes on after %s', async (_what, text) => {
  const { server, client } = await connectRootward(ROOT);
  server.write(text);
  expect(await client.request('ping')).toEqual({});
  expect(textOf(await client.callTool('read_text_file', { path: 'name.txt' }))).toBe('a');
});

test('rootward goes on after bytes that are not UTF-8', async () => {
  const { server, client } = await connectRootward(ROOT);
  server.write(Buffer.from([0xff, 0xfe, 0x00, 0x80, 0x0a]));
  server.write(
    Buffer.concat([
      Buffer.from('{"jsonrpc":"2.0","method":"x'),
      Buffer.from([0xc3, 0x28]),
      Buffer.from('"}\n'),
    ]),
  );
  expect(await client.request('ping')).toEqual({});
});

test('rootward answers a batch of a revision that has them with a batch', async () => {
  const { server, client } = await connectRootward(ROOT, { protocolVersion: '2025-03-26' });
  server.write('[{"jsonrpc":"2.0","id":"b1","method":"ping"},{"jsonrpc":"2.0","id":"b2","method":"ping"}]\n');
  const [line] = (await once(server.input, 'data')) as [Buffer];
  expect(JSON.parse(line.toString('utf8'))).toHaveLength(2);
  expect(client.era).toBe('legacy');
});

test('rootward reads a line that comes byte by byte', async () => {
  const { server, client } = await connectRootward(ROOT);
  for (const byte of Buffer.from('{"jsonrpc":"2.0","id":"slow","method":"ping"}\n'))
    server.write(Buffer.of(byte));
  await client.request('ping');
  expect(client.received).toContainEqual({ jsonrpc: '2.0', id: 'slow', result: {} });
});

test('rootward answers both of two requests with the same id', async () => {
  const { server, client } = await connectRootward(ROOT);
  const twin = '{"jsonrpc":"2.0","id":"twin","method":"ping"}\n';
  server.write(twin + twin);
  await client.request('ping');
  expect(client.received.filter((message) => 'id' in message && message.id === 'twin')).toHaveLength(2);
});

test('rootward ends with a reason on a line of 20 MB', async () => {
  const { server } = await connectRootward(ROOT);
  server.write('x'.repeat(20 * 1024 * 1024));
  expect(await server.exit).toBe(1);
  expect(server.stderr()).toMatch(/line exceeds 10485760 bytes/);
});

test('rootward leaves without a word when stdout is closed', async () => {
  const { server } = await connectRootward([...ROOT, '--log-level', 'silent']);
  server.process.stdout?.destroy();
  server.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
  expect(await server.exit).toBe(0);
  expect(server.stderr()).toBe('');
});

test('rootward goes on when nobody reads stderr', async () => {
  const { server, client } = await connectRootward([...ROOT, '--log-level', 'debug']);
  server.process.stderr?.destroy();
  for (let call = 0; call < 50; call++) server.write('junk\n');
  expect(await client.request('ping')).toEqual({});
});

test('rootward starts when nobody reads stderr and there is something to warn of', async () => {
  const server = startRootward(ROOT, { env: { ROOTWARD_ROOT: 'misspelt' } });
  // Long before the process writes, which takes its time to start.
  server.process.stderr?.destroy();
  const client = new ScriptedClient(server);
  await client.connect();
  expect(await client.request('ping')).toEqual({});
});

test('rootward still leaves when its reader has stalled', async () => {
  const server = startRootward(ROOT);
  server.input.pause();
  server.write(HANDSHAKE);
  for (let id = 0; id < 200; id++) server.write(`{"jsonrpc":"2.0","id":${id},"method":"tools/list"}\n`);
  server.output.end();
  expect((await once(server.process, 'exit'))[0]).toBe(0);
});

test('SIGTERM during a write leaves the old file or the new one, and nothing beside it', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-term-')));
  const file = join(folder, 'big.txt');
  const before = 'old\n'.repeat(500_000);
  const after = 'new\n'.repeat(500_000);
  try {
    for (let round = 0; round < 10; round++) {
      writeFileSync(file, before);
      const { server, client } = await connectRootward(['--root', folder]);
      client.callTool('write_file', { path: 'big.txt', content: after }).catch(() => undefined);
      // Rounds end at different moments of the write without a clock: after so many pings were answered.
      for (let ping = 0; ping < round; ping++) await client.request('ping').catch(() => undefined);
      server.process.kill('SIGTERM');
      await server.exit;
      expect([before, after]).toContain(readFileSync(file, 'utf8'));
      expect(readdirSync(folder)).toEqual(['big.txt']);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** A line that is nonsense, nearly a message, or a message cut somewhere. Never a whole request for a tool. */
const fuzzedLine = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.json({ maxDepth: 2 }),
  fc
    .record(
      {
        jsonrpc: fc.constantFrom('2.0', '1.0', 2),
        id: fc.oneof(fc.integer({ min: 1_000_000 }), fc.string(), fc.constant(null), fc.boolean()),
        method: fc.constantFrom(
          'ping',
          'tools/list',
          'roots/list',
          'notifications/cancelled',
          '',
          'initialize',
        ),
        params: fc.oneof(fc.object({ maxDepth: 1 }), fc.constant(null), fc.array(fc.integer())),
        result: fc.anything({ maxDepth: 1 }),
        error: fc.anything({ maxDepth: 1 }),
      },
      { requiredKeys: [] },
    )
    .map(
      (value) =>
        JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'bigint' ? 0 : inner)) ?? '',
    ),
  fc.nat({ max: HANDSHAKE.length }).map((length) => HANDSHAKE.slice(0, length)),
);

test('rootward answers a ping after each hundred of 10,000 fuzzed lines', async () => {
  const { server, client } = await connectRootward(ROOT, { roots: answering([]) });
  const lines = fc.sample(fuzzedLine, { numRuns: 10_000, seed: 5 });
  for (let start = 0; start < lines.length; start += 100) {
    server.write(
      `${lines
        .slice(start, start + 100)
        .map((line) => line.replaceAll('\n', ' '))
        .join('\n')}\n`,
    );
    expect(await client.request('ping')).toEqual({});
  }
  server.output.end();
  expect(await server.exit).toBe(0);
  expect(existsSync(folders.path('a'))).toBe(true);
});
