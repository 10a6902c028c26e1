import { PassThrough, Writable } from 'node:stream';
import * as fc from 'fast-check';
import { expect, expectTypeOf, test } from 'vitest';
import type { Transport as TransportV2 } from '@modelcontextprotocol/server';
import type { Transport as TransportV1 } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JsonRpcMessage } from '../../src/stdio/message.js';
import { StdioTransport, type StdioTransportOptions } from '../../src/stdio/transport.js';
import { eventually } from '../../../../testing/eventually.js';

interface Rig {
  readonly transport: StdioTransport;
  readonly received: JsonRpcMessage[];
  readonly errors: string[];
  readonly stdin: PassThrough;
  readonly stdout: PassThrough;
  readonly stderr: PassThrough;
  feed(text: string | Buffer): Promise<void>;
  written(): unknown[];
}

async function open(options: StdioTransportOptions = {}): Promise<Rig> {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const transport = new StdioTransport({ stdin, stdout, stderr, ...options });
  const received: JsonRpcMessage[] = [];
  const errors: string[] = [];
  transport.onmessage = (message) => received.push(message);
  transport.onerror = (error) => errors.push(error.message);
  await transport.start();
  return {
    transport,
    received,
    errors,
    stdin,
    stdout,
    stderr,
    feed: (text) =>
      new Promise((resolve) => {
        stdin.write(text, () => setImmediate(resolve));
      }),
    written: () =>
      String(stdout.read() ?? '')
        .split('\n')
        .filter((line) => line !== '')
        .map((line): unknown => JSON.parse(line)),
  };
}

const line = (value: unknown): string => `${JSON.stringify(value)}\n`;
const request = (id: string | number, method = 'ping') => ({ jsonrpc: '2.0', id, method }) as const;
const initialize = (revision: string) =>
  ({ jsonrpc: '2.0', id: 'init', result: { protocolVersion: revision } }) as const;

async function negotiate(rig: Rig, revision: string): Promise<void> {
  await rig.feed(line(request('init', 'initialize')));
  await rig.transport.send(initialize(revision));
  rig.written();
  rig.received.length = 0;
}

test('StdioTransport fits the Transport interface of both SDKs', () => {
  expectTypeOf<StdioTransport>().toExtend<TransportV1>();
  expectTypeOf<StdioTransport>().toExtend<TransportV2>();
});

test('StdioTransport forwards only an answer whose id is exactly one that was sent', async () => {
  const rig = await open();
  await rig.transport.send(request(0, 'roots/list'));
  await rig.feed(line({ jsonrpc: '2.0', id: '', result: {} }));
  await rig.feed(line({ jsonrpc: '2.0', id: '0', result: {} }));
  await rig.feed(line({ jsonrpc: '2.0', id: null, result: {} }));
  await rig.feed(line({ jsonrpc: '2.0', id: 1, result: {} }));
  expect(rig.received).toEqual([]);
  await rig.feed(line({ jsonrpc: '2.0', id: 0, result: { roots: [] } }));
  await rig.feed(line({ jsonrpc: '2.0', id: 0, result: { roots: ['twice'] } }));
  expect(rig.received).toEqual([{ jsonrpc: '2.0', id: 0, result: { roots: [] } }]);
  expect(rig.errors).toHaveLength(5);
});

test('StdioTransport turns a malformed answer into an error, so that nobody waits for it', async () => {
  const rig = await open();
  await rig.transport.send(request(0, 'roots/list'));
  await rig.feed(line({ jsonrpc: '2.0', id: 0, result: null }));
  expect(rig.received).toMatchObject([{ id: 0, error: { code: -32_603 } }]);
});

test('StdioTransport drops an answer that comes after the request was cancelled', async () => {
  const rig = await open();
  await rig.transport.send(request(0, 'roots/list'));
  await rig.transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 0 } });
  await rig.feed(line({ jsonrpc: '2.0', id: 0, result: {} }));
  expect(rig.received).toEqual([]);
});

test('StdioTransport counts the messages that have come, before any of them is served', async () => {
  const rig = await open();
  const counts: number[] = [];
  rig.transport.onmessage = () => queueMicrotask(() => counts.push(rig.transport.taken));
  await rig.feed([1, 2, 3].map((id) => line(request(id))).join(''));
  expect(counts).toEqual([3, 3, 3]);
});

test('StdioTransport answers a batch by a batch on 2025-03-26, in one line', async () => {
  const rig = await open();
  await negotiate(rig, '2025-03-26');
  await rig.feed(line([request(1), { jsonrpc: '2.0', method: 'notifications/x' }, request(2)]));
  expect(rig.received).toHaveLength(3);
  await rig.transport.send({ jsonrpc: '2.0', id: 2, result: {} });
  expect(rig.written()).toEqual([]);
  await rig.transport.send({ jsonrpc: '2.0', id: 1, result: {} });
  expect(rig.written()).toEqual([
    [
      { jsonrpc: '2.0', id: 2, result: {} },
      { jsonrpc: '2.0', id: 1, result: {} },
    ],
  ]);
});

test('StdioTransport does not let a cancelled request hold its batch back', async () => {
  const rig = await open();
  await negotiate(rig, '2025-03-26');
  await rig.feed(line([request(1), request(2)]));
  await rig.transport.send({ jsonrpc: '2.0', id: 1, result: {} });
  await rig.feed(line({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } }));
  expect(rig.written()).toEqual([[{ jsonrpc: '2.0', id: 1, result: {} }]]);
});

test('StdioTransport takes a batch apart and answers one by one on a revision without batches', async () => {
  const rig = await open();
  await negotiate(rig, '2025-11-25');
  await rig.feed(line([request(1), request(2), 'junk']));
  await rig.transport.send({ jsonrpc: '2.0', id: 1, result: {} });
  expect(rig.written()).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
  expect(rig.received).toHaveLength(2);
});

test.each(['2025-03-26', '2025-11-25'])(
  'StdioTransport refuses a batch of more than a hundred messages as a whole on %s',
  async (revision) => {
    const rig = await open();
    await negotiate(rig, revision);
    const batch = Array.from({ length: 101 }, (_, id) => request(id));
    await rig.feed(line(batch));
    expect(rig.received).toEqual([]);
    expect(rig.written()).toEqual([
      {
        jsonrpc: '2.0',
        id: null,
        error: { code: -32_600, message: 'Cannot serve batch: it holds more than 100 messages' },
      },
    ]);
    await rig.feed(line(batch.slice(1)));
    expect(rig.received).toHaveLength(100);
  },
);

test('StdioTransport takes answers out of a batch', async () => {
  const rig = await open();
  await rig.transport.send(request(0, 'roots/list'));
  await rig.feed(line([{ jsonrpc: '2.0', id: 0, result: { roots: [] } }]));
  expect(rig.received).toMatchObject([{ id: 0, result: {} }]);
});

test('StdioTransport goes on after junk bytes, bad JSON, blank lines and empty batches', async () => {
  const rig = await open();
  await rig.feed(Buffer.from([0xff, 0x00, 0xfe, 0x0a]));
  await rig.feed('{"jsonrpc": \n\n  \r\n[]\nnull\n');
  await rig.feed(`${JSON.stringify(request(1))}\r\n`);
  expect(rig.received).toEqual([request(1)]);
  expect(rig.errors).toHaveLength(4);
});

test('StdioTransport answers a request it can name but not serve', async () => {
  const rig = await open();
  await rig.feed(line({ jsonrpc: '2.0', id: 7, method: 'ping', params: 'x' }));
  expect(rig.written()).toMatchObject([{ id: 7, error: { code: -32_600 } }]);
});

test('StdioTransport refuses a request that is not valid UTF-8 instead of serving it altered', async () => {
  const rig = await open();
  const bytes = Buffer.from(line({ ...request(5), params: { path: '/tmp/X' } }));
  bytes[bytes.indexOf('X')] = 0xff;
  await rig.feed(bytes);
  expect(rig.received).toEqual([]);
  expect(rig.written()).toMatchObject([{ id: 5, error: { code: -32_600 } }]);
  expect(rig.errors).toEqual(['Cannot serve request: it is not valid UTF-8']);
});

test('StdioTransport serves a request that holds the replacement character itself', async () => {
  const rig = await open();
  await rig.feed(line({ ...request(5), params: { path: '/tmp/\u{FFFD}' } }));
  expect(rig.received).toEqual([{ ...request(5), params: { path: '/tmp/\u{FFFD}' } }]);
});

test('StdioTransport puts a character together that two chunks share', async () => {
  const rig = await open();
  const bytes = Buffer.from(line({ ...request(1), params: { path: 'é' } }));
  for (const byte of bytes) await rig.feed(Buffer.from([byte]));
  expect(rig.received).toEqual([{ ...request(1), params: { path: 'é' } }]);
});

test('StdioTransport ends with a reason on stderr when a line is too long', async () => {
  const rig = await open({ maxLineBytes: 100 });
  await rig.feed(`${line(request(1))}${'x'.repeat(101)}`);
  await expect(rig.transport.closed).resolves.toBe('line-too-long');
  expect(rig.received).toEqual([request(1)]);
  expect(String(rig.stderr.read())).toBe(
    'Cannot read message: its line exceeds 100 bytes; the connection is closed\n',
  );
});

test('StdioTransport answers -32603 when a result cannot be put into JSON', async () => {
  const rig = await open();
  await rig.feed(line(request(1)));
  await rig.transport.send({ jsonrpc: '2.0', id: 1, result: { big: 1n } });
  expect(rig.written()).toMatchObject([{ id: 1, error: { code: -32_603 } }]);
});

test('StdioTransport writes the answers under way after stdin has ended, then closes', async () => {
  const rig = await open({ lingerMs: 60_000 });
  await rig.feed(line(request(1)));
  rig.stdin.end();
  await new Promise((resolve) => rig.stdin.once('end', resolve));
  await rig.transport.send({ jsonrpc: '2.0', id: 1, result: {} });
  await expect(rig.transport.closed).resolves.toBe('ended');
  expect(rig.written()).toMatchObject([{ id: 1 }]);
});

test('StdioTransport fails its own requests when stdin ends: no answer can come', async () => {
  const rig = await open({ lingerMs: 60_000 });
  await rig.feed(line(request(1)));
  await rig.transport.send(request(0, 'roots/list'));
  rig.stdin.end();
  await new Promise((resolve) => rig.stdin.once('end', resolve));
  expect(rig.received).toMatchObject([request(1), { id: 0, error: { code: -32_000 } }]);
  await rig.transport.send(request(1, 'roots/list'));
  await Promise.resolve();
  expect(rig.received).toHaveLength(3);
  await rig.transport.close();
});

test('StdioTransport does not wait longer than it may for answers after stdin has ended', async () => {
  const rig = await open({ lingerMs: 1 });
  await rig.feed(line(request(1)));
  rig.stdin.end();
  await expect(rig.transport.closed).resolves.toBe('ended');
});

test('StdioTransport ends quietly when stdout breaks', async () => {
  const rig = await open();
  rig.stdout.destroy(new Error('EPIPE'));
  await expect(rig.transport.closed).resolves.toBe('broken-pipe');
  expect(rig.errors).toEqual([]);
  expect(rig.stderr.read()).toBeNull();
  await expect(rig.transport.send(request(1))).rejects.toMatchObject({ code: 'closed' });
});

test('StdioTransport survives a message handler that throws', async () => {
  const rig = await open();
  rig.transport.onmessage = () => {
    throw new Error('handler failed');
  };
  await rig.feed(line(request(1)));
  expect(rig.errors).toEqual(['handler failed']);
});

test('StdioTransport lets others have their turn while a client sends more than it can serve', async () => {
  const rig = await open();
  const ids = Array.from({ length: 20 }, (_, id) => id);
  const served: unknown[] = [];
  const all = new Promise<void>((resolve) => {
    rig.transport.onmessage = (message) => {
      const until = performance.now() + 20;
      while (performance.now() < until);
      if ('id' in message) served.push(message.id);
      if (served.length === ids.length) resolve();
    };
  });
  for (const id of ids) rig.stdin.write(line(request(id, 'x'.repeat(20_000))));
  await new Promise((resolve) => setImmediate(resolve));
  expect(served.length).toBeLessThan(ids.length);
  await all;
  expect(served).toEqual(ids);
});

test('StdioTransport cannot be started twice', async () => {
  const rig = await open();
  await expect(rig.transport.start()).rejects.toMatchObject({ code: 'closed' });
  await rig.transport.close();
  await rig.transport.close();
});

test('StdioTransport takes any bytes, cut anywhere, and still serves the next request', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 6 }), async (chunks) => {
      const rig = await open();
      for (const chunk of chunks) await rig.feed(Buffer.from(chunk));
      await rig.feed(`\n${line(request('next'))}`);
      expect(rig.received.at(-1)).toEqual(request('next'));
      await rig.transport.close();
    }),
  );
});

/** A transport, and what reaches the pipe in one piece. */
async function openPieces(): Promise<{ transport: StdioTransport; stdin: PassThrough; writes: string[] }> {
  const writes: string[] = [];
  const stdout = new Writable({
    writev: (chunks, done) => {
      writes.push(chunks.map(({ chunk }) => String(chunk)).join(''));
      done();
    },
  });
  const stdin = new PassThrough();
  const transport = new StdioTransport({ stdin, stdout, stderr: new PassThrough() });
  await transport.start();
  return { transport, stdin, writes };
}

test('StdioTransport hands what is sent in one turn of the event loop to the pipe at once, in order', async () => {
  const { transport, writes } = await openPieces();
  const notify = (method: string): Promise<void> => transport.send({ jsonrpc: '2.0', method });
  await Promise.all([notify('a'), notify('b'), notify('c')]);
  await notify('d');
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((method) => line({ jsonrpc: '2.0', method }));
  expect(writes).toEqual([`${a!}${b!}${c!}`, d]);
  await transport.close();
});

function answer(id: number): JsonRpcMessage {
  return { jsonrpc: '2.0', id, result: {} };
}

test('StdioTransport sends the answers to requests under way together, and the answer to a single one without delay', async () => {
  const { transport, stdin, writes } = await openPieces();
  const arrived: unknown[] = [];
  transport.onmessage = (message) => void arrived.push(message);
  stdin.write(line(request(1)) + line(request(2)));
  await eventually(() => expect(arrived).toHaveLength(2));
  await Promise.all([transport.send(answer(1)), transport.send(answer(2))]);
  expect(writes).toEqual([line(answer(1)) + line(answer(2))]);
  stdin.write(line(request(3)));
  await eventually(() => expect(arrived).toHaveLength(3));
  const sent = transport.send(answer(3));
  expect(writes.at(-1)).toBe(line(answer(3)));
  await sent;
  await transport.close();
});
