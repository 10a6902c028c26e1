import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.js';
import { serveWrapped, TOKENS } from './fixtures/http.js';
import { INNER, makeFolder } from './fixtures/wrapped.js';

const LENGTH = 300_000;
const WHO = { name: 'raw', version: '1' };
const serve = (...flags: readonly string[]): Promise<URL> =>
  serveWrapped(['--root', makeFolder('top'), ...flags], [process.execPath, INNER]);
const [url, shared] = await Promise.all([serve(), serve('--share')]);

/** A client that sees each byte as it comes. */
class RawClient {
  readonly #url: URL;
  readonly #version: string;
  #session: Record<string, string> = {};
  #calls = 0;

  private constructor(server: URL, version: string) {
    this.#url = server;
    this.#version = version;
  }

  static async connect(server: URL, era: 'legacy' | 'modern'): Promise<RawClient> {
    const client = new RawClient(server, era === 'modern' ? '2026-07-28' : '2025-11-25');
    if (era === 'modern') return client;
    const params = { protocolVersion: client.#version, capabilities: {}, clientInfo: WHO };
    const introduced = await client.#post('initialize', params);
    client.#session = { 'Mcp-Session-Id': introduced.headers.get('mcp-session-id') ?? '' };
    await introduced.text();
    return client;
  }

  /** Calls a tool, tells what has come whenever more has, and returns the messages. */
  async call(name: string, args: object, told?: (text: string) => void): Promise<Message[]> {
    return RawClient.read(await this.open(name, args), told);
  }

  /** Calls a tool, and reads nothing of what comes. */
  open(name: string, args: object): Promise<Response> {
    const envelope = {
      'io.modelcontextprotocol/protocolVersion': this.#version,
      'io.modelcontextprotocol/clientInfo': WHO,
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const isModern = this.#version === '2026-07-28';
    const params = { name, arguments: args, ...(isModern && { _meta: envelope }) };
    return this.#post('tools/call', params, {
      'MCP-Protocol-Version': this.#version,
      'Mcp-Method': 'tools/call',
      'Mcp-Name': name,
    });
  }

  static async read(response: Response, told: (text: string) => void = () => undefined): Promise<Message[]> {
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body!) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      told(text);
    }
    const json = text.split('\n').map((line) => line.replace(/^data: /, ''));
    return json.flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Message] : []));
  }

  #post(method: string, params: object, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(this.#url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        Authorization: `Bearer ${TOKENS[0]}`,
        ...this.#session,
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: `é-${this.#calls++}`, method, params }),
    });
  }
}

interface Message {
  readonly id?: string;
  readonly method?: string;
  readonly result?: {
    readonly isError?: boolean;
    readonly content: { readonly text: string }[];
    readonly resultType?: string;
  };
}

/** Calls a tool whose answer ends only after the client has seen its beginning. */
async function callLong(client: RawClient, args: object = {}): Promise<Message | undefined> {
  const gate = join(makeFolder('gate'), 'open');
  const messages = await client.call('begin', { path: gate, ...args }, (text) => {
    if (text.includes('xxxxxxxx')) writeFileSync(gate, '');
  });
  return messages.at(-1);
}

describe.each([
  ['a legacy client', 'legacy', url],
  ['a modern client', 'modern', url],
  ['a session of --share', 'legacy', shared],
] as const)('a long answer for %s', (_, era, server) => {
  test('is passed on while it comes', async () => {
    const answer = await callLong(await RawClient.connect(server, era));
    expect(answer).toMatchObject({
      id: expect.stringMatching(/^é-\d$/) as unknown,
      ...(era === 'modern' && { result: { resultType: 'complete' } }),
    });
    expect(answer?.result?.content[0]?.text).toHaveLength(LENGTH);
  });

  test('also while the same server has other requests, where it begins with its id', async () => {
    const client = await RawClient.connect(server, era);
    const [gate, begun] = [join(makeFolder('gate'), 'other'), join(makeFolder('gate'), 'begun')];
    const other = client.call('wait', { path: gate, write: begun });
    await eventually(() => expect(existsSync(begun)).toBe(true));
    const answer = await callLong(client, { idFirst: true });
    expect(answer?.result?.content[0]?.text).toHaveLength(LENGTH);
    writeFileSync(gate, '');
    expect(JSON.stringify(await other)).toContain('waited in');
  });
});

test('a session of --share that does not read its answer holds up nobody, and is told that it was cut off', async () => {
  const [slow, other] = await Promise.all([
    RawClient.connect(shared, 'legacy'),
    RawClient.connect(shared, 'legacy'),
  ]);
  const [gate, begun] = [join(makeFolder('gate'), 'other'), join(makeFolder('gate'), 'begun')];
  const waiting = other.call('wait', { path: gate, write: begun });
  await eventually(() => expect(existsSync(begun)).toBe(true));
  // Far more than is kept for it here and by the system.
  const unread = await slow.open('big', { size: 60_000_000 });
  // The server writes one answer after the other, so that this one comes after the long one.
  expect(JSON.stringify(await other.call('echo', { value: 'served' }))).toContain('served');
  const [incomplete, answer] = await RawClient.read(unread);
  expect(incomplete?.method).toBe('notifications/rootward/incomplete_answer');
  expect(answer?.result).toMatchObject({ isError: true });
  expect(answer?.result?.content[0]?.text).toContain('the client did not read the answer fast enough');
  writeFileSync(gate, '');
  await waiting;
});
