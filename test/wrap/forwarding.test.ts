import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.js';
import {
  INNER,
  jsonOf,
  makeFolder,
  peakMegabytes,
  roots,
  textOf,
  wrap,
  type Wrapped,
} from './fixtures/wrapped.js';

const NODE = process.execPath;

/** A call whose answer the server has begun to write, and finishes once `gate` is there. */
async function beginLong(
  args: object,
  folders: readonly string[],
  { era = 'legacy' }: { era?: 'legacy' | 'modern' } = {},
): Promise<Wrapped & { lines: () => readonly string[]; answer: Promise<unknown>; gate: string }> {
  const wrapped = await wrap([NODE, INNER, '{roots}'], { era, roots: roots(...folders) });
  const { client, connection } = wrapped;
  await client.callTool('where');
  let raw = '';
  connection.input.on('data', (chunk: Buffer) => (raw += chunk.toString()));
  const [gate, begun] = [join(makeFolder('gate'), 'open'), join(makeFolder('gate'), 'begun')];
  const answer = client.callTool('begin', { path: gate, begun, ...args });
  await eventually(() => expect(existsSync(begun)).toBe(true));
  return { ...wrapped, gate, answer, lines: () => raw.split('\n').slice(0, -1) };
}

describe('messages pass through as they are', () => {
  test('digit for digit, with unknown members', async () => {
    const folder = makeFolder('a');
    const { client, connection } = await wrap([NODE, INNER], { roots: roots(folder) });
    let raw = '';
    connection.input.on('data', (chunk: Buffer) => (raw += chunk.toString()));
    const call =
      '{"jsonrpc":"2.0","id":"é-1","method":"tools/call","params":{"name":"numbers","arguments":{"n":1}}}\n';
    await client.expect('é-1', () => client.sendBytes(Buffer.from(call)));
    expect(raw).toContain(
      '"id":"é-1", "result":{"content":[],"structuredContent":{"a":1.0,"b":12345678901234567890,"c":1e400,',
    );
    expect(raw).toContain('"future":{"x":[1.50]}}}');
  });

  test('unknown methods and notifications, both ways and in order', async () => {
    const { client } = await wrap([NODE, INNER], { roots: roots(makeFolder('a')) });
    const params = { deep: [{ x: null }], ü: '\u{1f600}' };
    expect(await client.request('x/future', params)).toEqual({ method: 'x/future', params });
    for (let number = 0; number < 20; number++) client.notify('x/note', { number });
    await client.request('x/end');
    const numbers = client.received.flatMap((message) =>
      'method' in message && message.method === 'x/note' ? [message.params?.['number']] : [],
    );
    expect(numbers).toEqual(Array.from({ length: 20 }, (_, number) => number));
    await expect(client.request('nothing/here')).rejects.toThrow('Method not found: nothing/here');
  });

  test('a batch of a client is taken apart', async () => {
    const { client } = await wrap([NODE, INNER], {
      roots: roots(makeFolder('a')),
      protocolVersion: '2025-03-26',
    });
    const [one, two] = [client.prepare(71, 'x/one'), client.prepare(72, 'x/two')];
    const both = Promise.all([
      client.expect(71, () => undefined),
      client.expect(72, () => client.send([one, two])),
    ]);
    expect(await both).toMatchObject([{ method: 'x/one' }, { method: 'x/two' }]);
  });

  test('what the server prints beside messages goes to stderr, and never to the client', async () => {
    const { client, connection } = await wrap([NODE, INNER], { roots: roots(makeFolder('a')) });
    expect(textOf(await client.callTool('garbage', { bytes: 200_000 }))).toBe('printed');
    expect(textOf(await client.callTool('garbage', { bytes: 200_000, lines: false }))).toBe('printed');
    // Two pipes: the answer may be read first.
    await eventually(() => {
      expect(connection.stderr()).toContain('garbage garbage');
      expect(connection.stderr()).toContain('{"jsonrpc":"2.0","id":1,"result":{broken}}');
    });
    expect(JSON.stringify(client.received)).not.toContain('garbage garbage');
  });

  test('megabytes', async () => {
    const { client } = await wrap([NODE, INNER], { roots: roots(makeFolder('a')) });
    const size = 3 * 1024 * 1024;
    expect(textOf(await client.callTool('big', { size }))).toHaveLength(size);
    expect(textOf(await client.callTool('echo', { value: 'é'.repeat(size / 2) }))).toHaveLength(size / 2);
  });
});

describe.each(['legacy', 'modern'] as const)('an answer that stays incomplete, in the %s era', (era) => {
  test('and turns out to be none is not passed on', async () => {
    const { client, gate, lines } = await beginLong({ rest: '"}]} broken' }, [makeFolder('a')], { era });
    writeFileSync(gate, '');
    expect(textOf(await client.callTool('echo', { value: 'next' }))).toBe('next');
    expect(lines().filter((line) => line.includes('xxxx'))).toEqual([]);
  });

  test('since the server ends: a clear error', async () => {
    const { client, answer, lines } = await beginLong({}, [makeFolder('a')], { era });
    void client.callTool('crash');
    const failed = (await answer) as Record<string, unknown>;
    expect(failed['isError']).toBe(true);
    expect(textOf(failed)).toContain('the server ended (signal SIGKILL)');
    for (const line of lines()) expect(JSON.parse(line)).toBeTypeOf('object');
  });

  // A client of the modern era is asked again by the next call only.
  test.runIf(era === 'legacy')('since its folder is taken away: nothing of it gets out', async () => {
    const [a, b] = [makeFolder('a'), makeFolder('b')];
    const { client, answer, gate, lines } = await beginLong({}, [a, b]);
    client.changeRoots(roots(b));
    expect(textOf((await answer) as never)).toContain('the folders of the workspace changed');
    writeFileSync(gate, '');
    expect(jsonOf(await client.callTool('where'))).toMatchObject({ cwd: b });
    expect(lines().filter((line) => line.includes('xxxx'))).toEqual([]);
  });
});

describe.skipIf(process.platform !== 'linux')('bytes without end', () => {
  const BYTES = Number(process.env['ROOTWARD_WRAP_GARBAGE'] ?? 5_000_000);
  const MAX_MEGABYTES = 220;

  test('in an answer end in a clear error', async () => {
    const { client } = await wrap([NODE, INNER], { roots: roots(makeFolder('a')) });
    const failed = await client.callTool('big', { size: 70_000_000 });
    expect(failed['isError']).toBe(true);
    expect(textOf(failed)).toContain('it exceeds 67108864 bytes');
    expect(textOf(await client.callTool('echo', { value: 'next' }))).toBe('next');
  });

  test.each([{ lines: true }, { lines: false }, { lines: false, start: '{"jsonrpc":"2.0",' }])(
    'that are no message neither reach the client nor fill memory: %j',
    async (how) => {
      const { client, connection } = await wrap([NODE, INNER], { roots: roots(makeFolder('a')) });
      expect(textOf(await client.callTool('garbage', { bytes: BYTES, ...how }))).toBe('printed');
      expect(JSON.stringify(client.received)).not.toContain('garbage garbage');
      expect(peakMegabytes(connection.process.pid)).toBeLessThan(MAX_MEGABYTES);
    },
  );
});

describe('--tools and --hide-tools', () => {
  test('shorten the list and refuse what is hidden', async () => {
    const { client } = await wrap([NODE, INNER], {
      roots: roots(makeFolder('a')),
      flags: ['--tools', 'none, e*', '--tools', 'where', '--hide-tools', 'none,elicit'],
    });
    const { tools } = await client.request('tools/list');
    expect((tools as { name: string }[]).map(({ name }) => name)).toEqual(['where', 'echo']);
    const refused = await client.callTool('elicit');
    expect(refused['isError']).toBe(true);
    expect(textOf(refused)).toContain('hidden');
    expect(textOf(await client.callTool('echo', { value: 'hi' }))).toBe('hi');
  });

  test.each(['legacy', 'modern'] as const)(
    'hold for a call without an id, which some servers make all the same, in the %s era',
    async (era) => {
      const folder = makeFolder('a');
      const { client } = await wrap([NODE, INNER, '--lax'], {
        era,
        roots: roots(folder),
        flags: ['--hide-tools', 'write'],
      });
      await client.callTool('echo');
      const path = join(folder, 'new.txt');
      client.notify('tools/call', { name: 'write', arguments: { path } });
      await client.callTool('echo');
      expect(existsSync(path)).toBe(false);
    },
  );

  test('are also variables, which count where the flag is not given', async () => {
    const env = { ROOTWARD_TOOLS: 'e*,where', ROOTWARD_HIDE_TOOLS: 'elicit' };
    const named = async (flags: readonly string[]): Promise<readonly string[]> => {
      const { client } = await wrap([NODE, INNER], { roots: roots(makeFolder('a')), env, flags });
      expect((await client.callTool('elicit'))['isError']).toBe(true);
      const { tools } = await client.request('tools/list');
      return (tools as { name: string }[]).map(({ name }) => name);
    };
    expect(await named([])).toEqual(['where', 'echo']);
    expect(await named(['--tools', 'b*'])).toEqual(['big']);
  });
});
