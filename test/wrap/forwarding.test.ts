import { describe, expect, test } from 'vitest';
import { INNER, makeFolder, roots, textOf, wrap } from './fixtures/wrapped.js';

const NODE = process.execPath;

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
    expect(connection.stderr()).toContain('garbage garbage');
    expect(JSON.stringify(client.received)).not.toContain('garbage garbage');
    expect(connection.stderr()).toContain('{"jsonrpc":"2.0","id":1,"result":{broken}}');
  });

  test('megabytes', async () => {
    const { client } = await wrap([NODE, INNER], { roots: roots(makeFolder('a')) });
    const size = 3 * 1024 * 1024;
    expect(textOf(await client.callTool('big', { size }))).toHaveLength(size);
    expect(textOf(await client.callTool('echo', { value: 'é'.repeat(size / 2) }))).toHaveLength(size / 2);
  });
});

describe('--tools and --hide-tools', () => {
  test('shorten the list and refuse what is hidden', async () => {
    const { client } = await wrap([NODE, INNER], {
      roots: roots(makeFolder('a')),
      flags: ['--tools', 'e*', '--tools', 'where', '--hide-tools', 'elicit'],
    });
    const { tools } = await client.request('tools/list');
    expect((tools as { name: string }[]).map(({ name }) => name)).toEqual(['where', 'echo']);
    const refused = await client.callTool('elicit');
    expect(refused['isError']).toBe(true);
    expect(textOf(refused)).toContain('hidden');
    expect(textOf(await client.callTool('echo', { value: 'hi' }))).toBe('hi');
  });
});
