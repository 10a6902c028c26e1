import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { connectToProcess } from '@rootward/mcp/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { INNER, makeFolder, PROGRAM, uri } from './fixtures/wrapped.js';

const TOKENS = ['a-token-for-tests-1', 'a-token-for-tests-2'] as const;
const top = makeFolder('top');
const folder = (name: string): string => {
  const path = join(top, name);
  mkdirSync(path, { recursive: true });
  return path;
};

const { PATH } = process.env;
const server = connectToProcess(process.execPath, {
  args: [PROGRAM, 'wrap', '--http', '0', '--root', top, '--', process.execPath, INNER],
  cwd: top,
  env: { PATH, HOME: makeFolder('home'), ROOTWARD_TOKEN: TOKENS.join(',') },
});
afterAll(async () => {
  server.process.kill('SIGTERM');
  await server.exit;
});

async function address(): Promise<URL> {
  let banner = '';
  for await (const text of server.input.setEncoding('utf8') as AsyncIterable<string>) {
    banner += text;
    if (banner.includes('Ctrl+C')) break;
  }
  return new URL(/serves MCP at (\S+)/.exec(banner)?.[1] ?? '');
}
const url = await address();

interface Caller {
  call(name: string, args?: Record<string, unknown>): Promise<unknown>;
  close(): Promise<void>;
}

const requestInit = (token: string): RequestInit => ({ headers: { Authorization: `Bearer ${token}` } });

async function v1(root: string, token: string = TOKENS[0]): Promise<Caller> {
  const client = new ClientV1({ name: 'v1', version: '1' }, { capabilities: { roots: {}, elicitation: {} } });
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: uri(root) }] }));
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { name: 'Ada' } }));
  await client.connect(new TransportV1(url, { requestInit: requestInit(token) }));
  return {
    call: (name, args = {}) => client.callTool({ name, arguments: args }),
    close: () => client.close(),
  };
}

async function v2(root: string, token: string = TOKENS[0]): Promise<Caller> {
  const client = new Client(
    { name: 'v2', version: '1' },
    {
      capabilities: { roots: {}, elicitation: { form: {} } },
      versionNegotiation: { mode: { pin: '2026-07-28' } },
    },
  );
  client.setRequestHandler('roots/list', () => ({ roots: [{ uri: uri(root) }] }));
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'Ada' } }));
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: requestInit(token) }));
  return {
    call: (name, args = {}) => client.callTool({ name, arguments: args }),
    close: () => client.close(),
  };
}

function place(result: unknown): { cwd: string; pid: number } {
  const [first] = (result as { content: { text: string }[] }).content;
  return JSON.parse(first?.text ?? '{}') as { cwd: string; pid: number };
}

describe.each([
  ['legacy', v1],
  ['modern', v2],
] as const)('wrap --http for official clients of the %s era', (era, connect) => {
  test('gives each root set a server of its own, which may ask back', async () => {
    const [a, b] = [folder('a'), folder('b')];
    const [one, two] = [await connect(a), await connect(b)];
    const [first, second] = [place(await one.call('where')), place(await two.call('where'))];
    expect([first.cwd, second.cwd]).toEqual([a, b]);
    expect(first.pid).not.toBe(second.pid);
    expect(JSON.stringify(await one.call('elicit'))).toContain('Ada');
    await Promise.all([one.close(), two.close()]);
  });

  test('never shares a server between principals, and holds clients to the roots of the operator', async () => {
    const a = folder('a');
    const [one, two] = [await connect(a), await connect(a, TOKENS[1])];
    const pids = [place(await one.call('where')).pid, place(await two.call('where')).pid];
    expect(new Set(pids).size).toBe(2);
    const outside = await connect(makeFolder('outside'));
    expect(JSON.stringify(await outside.call('roots'))).not.toContain('outside');
    await Promise.all([one.close(), two.close(), outside.close()]);
  });

  test.runIf(era === 'modern')('uses one server for the same roots of one principal', async () => {
    const a = folder('a');
    const [one, two] = [await connect(a), await connect(a)];
    expect(place(await one.call('where')).pid).toBe(place(await two.call('where')).pid);
    await Promise.all([one.close(), two.close()]);
  });
});

describe('wrap --http', () => {
  test('asks for a token, and knows no session that it did not open', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(401);
    const known = { ...headers, Authorization: `Bearer ${TOKENS[0]}` };
    expect((await fetch(url, { method: 'POST', headers: known, body })).status).toBe(400);
    const made = { ...known, 'mcp-session-id': 'made-up' };
    expect((await fetch(url, { method: 'POST', headers: made, body })).status).toBe(404);
    expect((await fetch(url, { method: 'POST', headers: known, body: '{nonsense' })).status).toBe(400);
  });
});
