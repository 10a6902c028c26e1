import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.js';
import { connectV1, connectV2, openSession, placeOf, serveWrapped, TOKENS } from './fixtures/http.js';
import { INNER, makeFolder } from './fixtures/wrapped.js';

const top = makeFolder('top');
const folder = (name: string): string => {
  const path = join(top, name);
  mkdirSync(path, { recursive: true });
  return path;
};
const url = await serveWrapped(['--root', top], [process.execPath, INNER]);

describe.each([
  ['legacy', connectV1],
  ['modern', connectV2],
] as const)('wrap --http for official clients of the %s era', (era, connect) => {
  test('gives each root set a server of its own, which may ask back', async () => {
    const [a, b] = [folder('a'), folder('b')];
    const [one, two] = [await connect(url, a), await connect(url, b)];
    const [first, second] = [placeOf(await one.call('where')), placeOf(await two.call('where'))];
    expect([first.cwd, second.cwd]).toEqual([a, b]);
    expect(first.pid).not.toBe(second.pid);
    expect(JSON.stringify(await one.call('elicit'))).toContain('Ada');
    await Promise.all([one.close(), two.close()]);
  });

  test('never shares a server between principals, and holds clients to the roots of the operator', async () => {
    const a = folder('a');
    const [one, two] = [await connect(url, a), await connect(url, a, TOKENS[1])];
    const pids = [placeOf(await one.call('where')).pid, placeOf(await two.call('where')).pid];
    expect(new Set(pids).size).toBe(2);
    const outside = await connect(url, makeFolder('outside'));
    expect(JSON.stringify(await outside.call('roots'))).not.toContain('outside');
    await Promise.all([one.close(), two.close(), outside.close()]);
  });

  test.runIf(era === 'modern')('uses one server for the same roots of one principal', async () => {
    const a = folder('a');
    const [one, two] = [await connect(url, a), await connect(url, a)];
    expect(placeOf(await one.call('where')).pid).toBe(placeOf(await two.call('where')).pid);
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

test.each([
  ['2025-06-18', 200],
  ['1999-01-01', 400],
])('wrap --http answers a request of a session in revision %s with %i', async (revision, status) => {
  const { headers } = await openSession(url);
  const body = JSON.stringify({ jsonrpc: '2.0', id: 9, method: 'tools/list' });
  const named = { ...headers, 'MCP-Protocol-Version': revision };
  expect((await fetch(url, { method: 'POST', headers: named, body })).status).toBe(status);
});

describe('wrap --http for requests of the modern era', () => {
  const VERSION = '2026-07-28';
  const meta = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };

  async function post(
    headers: Record<string, string>,
    method: string,
    params: object = {},
  ): Promise<{ status: number; code: number | undefined }> {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        Authorization: `Bearer ${TOKENS[0]}`,
        'MCP-Protocol-Version': VERSION,
        'Mcp-Method': method,
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { _meta: meta, ...params } }),
    });
    const { error } = (await response.json()) as { error?: { code: number } };
    return { status: response.status, code: error?.code };
  }

  test('headers have to say what the body says', async () => {
    const call = { name: 'echo', arguments: { value: 'x' } };
    const mismatch = { status: 400, code: -32_020 };
    expect(await post({ 'Mcp-Name': 'echo' }, 'tools/call', call)).toEqual({ status: 200, code: undefined });
    const encoded = `=?base64?${Buffer.from('echo').toString('base64')}?=`;
    expect(await post({ 'Mcp-Name': encoded }, 'tools/call', call)).toEqual({ status: 200, code: undefined });
    expect(await post({ 'Mcp-Name': 'other' }, 'tools/call', call)).toEqual(mismatch);
    expect(await post({ 'Mcp-Name': '=?base64?*?=' }, 'tools/call', call)).toEqual(mismatch);
    expect(await post({}, 'tools/call', call)).toEqual(mismatch);
    expect(await post({ 'Mcp-Method': 'tools/list' }, 'tools/call', call)).toEqual(mismatch);
    expect(await post({ 'MCP-Protocol-Version': '2025-11-25' }, 'tools/list')).toEqual(mismatch);
    expect(await post({}, 'tools/list', { _meta: {} })).toEqual({ status: 400, code: -32_602 });
  });

  test.each(['ping', 'initialize', 'logging/setLevel', 'resources/subscribe', 'no/such/method'])(
    '%s is not found',
    async (method) => {
      expect(await post({}, method)).toEqual({ status: 404, code: -32_601 });
    },
  );
});

describe('wrap --http --share', async () => {
  const shared = await serveWrapped(['--root', top, '--share'], [process.execPath, INNER]);

  test('uses one server for the sessions of a principal with the same roots', async () => {
    const clients = await Promise.all(Array.from({ length: 5 }, () => connectV1(shared, folder('a'))));
    const pids = (await Promise.all(clients.map((client) => client.call('where')))).map(
      (each) => placeOf(each).pid,
    );
    expect(new Set(pids).size).toBe(1);
    const [other, stranger] = [
      await connectV1(shared, folder('b')),
      await connectV1(shared, folder('a'), TOKENS[1]),
    ];
    expect(placeOf(await other.call('where')).cwd).toBe(folder('b'));
    expect(pids).not.toContain(placeOf(await other.call('where')).pid);
    expect(pids).not.toContain(placeOf(await stranger.call('where')).pid);
    // Their ids are the same; each gets its own answer.
    const values = clients.map((_, index) => `value ${index}`);
    const echoed = await Promise.all(
      clients.map((client, index) => client.call('echo', { value: values[index] })),
    );
    expect(echoed.map((each) => JSON.stringify(each))).toEqual(
      values.map((value) => expect.stringContaining(value)),
    );
    await clients[0]!.close();
    expect(placeOf(await clients[1]!.call('where')).pid).toBe(pids[0]);
    await Promise.all([...clients, other, stranger].map((each) => each.close()));
  });

  test('tells every session of a change, and refuses questions to the client', async () => {
    const [one, two] = [await connectV1(shared, folder('c')), await connectV1(shared, folder('c'))];
    await Promise.all([one.call('where'), two.call('where')]);
    const told = Promise.all(
      [one, two].map(
        ({ client }) =>
          new Promise<void>((resolve) => {
            client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve());
          }),
      ),
    );
    await one.call('announce');
    await told;
    expect(JSON.stringify(await one.call('elicit'))).toContain('refused');
    await Promise.all([one.close(), two.close()]);
  });

  test('answers a call under way when its session is ended', async () => {
    const { post, headers } = await openSession(shared);
    const marker = join(folder('e'), 'under-way');
    const path = join(folder('e'), 'gate');
    const call = post('tools/call', { name: 'wait', arguments: { path, write: marker } });
    await eventually(() => expect(existsSync(marker)).toBe(true));
    await fetch(shared, { method: 'DELETE', headers });
    const text = await (await call).text();
    expect(text).toContain('"id":2');
    expect(text).toContain('the session has ended');
  });

  test('passes progress to whoever asked for it', async () => {
    const caller = await connectV1(shared, folder('d'));
    const progress: unknown[] = [];
    const onprogress = (each: unknown): void => void progress.push(each);
    await caller.client.callTool({ name: 'progress', arguments: {} }, undefined, { onprogress });
    expect(progress).toEqual([{ progress: 1, total: 2 }]);
    await caller.close();
  });
});
