import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, test } from 'vitest';
import { makeFolder, PROGRAM, roots, uri, wrap } from './fixtures/wrapped.js';

const NODE = process.execPath;
const SERVER = fileURLToPath(new URL('fixtures/modern-server.mjs', import.meta.url));
const CAPABILITIES = { roots: { listChanged: true }, elicitation: { form: {} }, sampling: {} };
const FORM = { action: 'accept', content: { name: 'Ada' } } as const;
const SAMPLE = { model: 'none', role: 'assistant', content: { type: 'text', text: 'sampled' } } as const;
const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((client) => client.close()));
});

function parameters(folder: string): {
  command: string;
  args: string[];
  env: Record<string, string>;
  cwd: string;
  stderr: 'ignore';
} {
  const { PATH = '' } = process.env;
  const env = { PATH, HOME: makeFolder('home'), PWD: folder };
  return { command: NODE, args: [PROGRAM, 'wrap', '--', NODE, SERVER], env, cwd: folder, stderr: 'ignore' };
}

async function legacy(folder: string): Promise<ClientV1> {
  const client = new ClientV1({ name: 'v1', version: '1' }, { capabilities: CAPABILITIES });
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: uri(folder) }] }));
  client.setRequestHandler(ElicitRequestSchema, () => FORM);
  client.setRequestHandler(CreateMessageRequestSchema, () => SAMPLE);
  await client.connect(new TransportV1(parameters(folder)));
  opened.push(client);
  return client;
}

async function modern(folder: string): Promise<Client> {
  const client = new Client(
    { name: 'v2', version: '1' },
    { capabilities: CAPABILITIES, versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  client.setRequestHandler('roots/list', () => ({ roots: [{ uri: uri(folder) }] }));
  client.setRequestHandler('elicitation/create', () => FORM);
  client.setRequestHandler('sampling/createMessage', () => SAMPLE);
  await client.connect(new StdioClientTransport(parameters(folder)));
  opened.push(client);
  return client;
}

const textIn = (result: unknown): string =>
  (result as { content: { text: string }[] }).content[0]?.text ?? '';

describe.each([
  ['legacy', legacy],
  ['modern', modern],
] as const)('a server of revision 2026-07-28 only, behind a client of the %s era', (_, connect) => {
  test('offers everything it has, in the folder of the client', async () => {
    const folder = makeFolder('work');
    const client = await connect(folder);
    expect(client.getServerVersion()).toMatchObject({ name: 'modern-only', version: '2.0.0' });
    expect(client.getInstructions()).toBe('Use it well.');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['where', 'roots', 'ask', 'ask-long', 'big', 'announce']);
    expect(JSON.parse(textIn(await client.callTool({ name: 'where' })))).toMatchObject({ cwd: folder });
    expect(textIn(await client.callTool({ name: 'roots' }))).toBe(JSON.stringify([uri(folder)]));
    const { messages } = await client.getPrompt({ name: 'greet', arguments: { who: 'you' } });
    expect(messages).toMatchObject([{ content: { text: 'Hello you' } }]);
    const { contents } = await client.readResource({ uri: 'memo://note' });
    expect(contents).toMatchObject([{ text: 'a note' }]);
  });

  test('asks in several rounds, and keeps its state', async () => {
    const client = await connect(makeFolder('work'));
    expect(JSON.parse(textIn(await client.callTool({ name: 'ask' })))).toMatchObject({
      state: { name: 'Ada' },
      content: { text: 'sampled' },
    });
  });
});

describe('a server of revision 2026-07-28 only', () => {
  test.each([legacy, modern])('asks %o also where the question is long', async (connect) => {
    const client = await connect(makeFolder('work'));
    expect(textIn(await client.callTool({ name: 'ask-long' }))).toContain('Ada');
  });

  test('asks a client of that revision in its own words, and answers for the roots itself', async () => {
    const folder = makeFolder('work');
    const { client } = await wrap([NODE, SERVER], {
      era: 'modern',
      capabilities: CAPABILITIES,
      roots: roots(folder),
    });
    const call = { name: 'ask', arguments: {} };
    // Its roots are asked for whenever that is due, beside what the server wants to know.
    const ask = async (round: object): Promise<Record<string, unknown>> => {
      const asked = await client.request('tools/call', { ...call, ...round });
      const { inputRequests = {}, requestState } = asked;
      if (Object.keys(inputRequests as object).join() !== 'roots') return asked;
      const inputResponses = { roots: { roots: [{ uri: uri(folder) }] } };
      return client.request('tools/call', { ...call, inputResponses, requestState });
    };
    const first = await ask({});
    expect(Object.keys(first['inputRequests'] as object)).toEqual(['name']);
    expect(first).not.toHaveProperty('requestState');
    const second = await ask({ inputResponses: { name: FORM } });
    expect(Object.keys(second['inputRequests'] as object)).toEqual(['sample', 'roots']);
    const { requestState } = second;
    const inputResponses = { sample: SAMPLE, roots: { roots: [{ uri: uri(makeFolder('other')) }] } };
    const last = await ask({ inputResponses, requestState });
    expect(JSON.parse(textIn(last))).toMatchObject({ state: { name: 'Ada' }, roots: [{ uri: uri(folder) }] });
    const altered = `rootward-roots.${Buffer.from('{"keys":[],"state":"made-up"}').toString('base64url')}`;
    await expect(ask({ inputResponses, requestState: altered })).rejects.toThrow(/requestState|state/i);
  });

  test('tells a client of the legacy era what changed', async () => {
    const client = await legacy(makeFolder('work'));
    const told = new Promise<void>((resolve) => {
      client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve());
    });
    await client.callTool({ name: 'announce' });
    await told;
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('late');
  });

  test('follows the folders of the client, and answers ping and setLevel', async () => {
    const [a, b] = [makeFolder('a'), makeFolder('b')];
    const { client } = await wrap([NODE, SERVER], { roots: roots(a) });
    expect(await client.request('ping')).toEqual({});
    expect(await client.request('logging/setLevel', { level: 'debug' })).toEqual({});
    expect(textIn(await client.callTool('roots'))).toBe(JSON.stringify([uri(a)]));
    client.changeRoots(roots(b));
    expect(textIn(await client.callTool('roots'))).toBe(JSON.stringify([uri(b)]));
  });
});
