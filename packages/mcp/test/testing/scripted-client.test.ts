import { McpServer, inputRequired, inputResponse } from '@modelcontextprotocol/server';
import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { McpServer as McpServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import {
  answering,
  answeringAfter,
  answeringWith,
  connectInProcess,
  connectToProcess,
  inTurn,
  refusing,
  ScriptedClient,
  silent,
} from '../../src/testing/index.js';
import type { ScriptedClientOptions } from '../../src/testing/index.js';

/** A tool that asks for roots in the plain way of the SDK and tells what it got. */
function asker(): McpServer {
  const server = new McpServer({ name: 'asker', version: '1.0.0' });
  server.registerTool('roots', {}, (ctx): CallToolResult | InputRequiredResult => {
    const { inputResponses } = ctx.mcpReq;
    if (inputResponses === undefined) {
      return inputRequired({ inputRequests: { r: inputRequired.listRoots() } });
    }
    const view = inputResponse(inputResponses, 'r');
    const text = view.kind === 'roots' ? JSON.stringify(view.roots) : view.kind;
    return { content: [{ type: 'text', text }] };
  });
  return server;
}

function inProcess(options: ScriptedClientOptions): ScriptedClient {
  const connection = connectInProcess();
  serveStdio(asker, { transport: connection.transport });
  return new ScriptedClient(connection, options);
}

const ROOTS = [{ uri: 'file:///work', name: 'work' }];
const said = (text: string) => ({ content: [{ type: 'text', text }] });

test.each(['legacy', 'modern'] as const)(
  'ScriptedClient answers a %s server that asks for roots',
  async (era) => {
    const client = inProcess({ era, roots: answering(ROOTS) });
    await client.connect();
    expect(await client.callTool('roots')).toMatchObject(said(JSON.stringify(ROOTS)));
    expect(client.asked.map(({ way }) => way)).toEqual([era === 'legacy' ? 'request' : 'input']);
    await client.close();
  },
);

test('ScriptedClient answers when a test says so', async () => {
  const abort = new AbortController();
  const time = once(abort.signal, 'abort');
  const client = inProcess({ roots: answeringAfter(time, ROOTS) });
  await client.connect();
  const called = client.callTool('roots');
  await client.whenAsked(1);
  abort.abort();
  expect(await called).toMatchObject(said(JSON.stringify(ROOTS)));
  await client.close();
});

test('ScriptedClient answers out of order, through the questions it keeps', async () => {
  const client = inProcess({ roots: silent });
  await client.connect();
  const calls = [client.callTool('roots'), client.callTool('roots')];
  await client.whenAsked(2);
  client.asked[1]!.answer([{ uri: 'file:///second' }]);
  client.asked[0]!.answer([{ uri: 'file:///first' }]);
  expect(await Promise.all(calls)).toMatchObject([
    said('[{"uri":"file:///first"}]'),
    said('[{"uri":"file:///second"}]'),
  ]);
  await client.close();
});

test('ScriptedClient refuses and answers wrongly, in turn', async () => {
  const client = inProcess({ roots: inTurn(refusing(-32_000, 'no'), answeringWith('nonsense')) });
  await client.connect();
  const refused = expect.stringContaining('no');
  expect(await client.callTool('roots')).toMatchObject({ isError: true, content: [{ text: refused }] });
  const unreadable = expect.stringContaining('Cannot read the answer');
  expect(await client.callTool('roots')).toMatchObject({ isError: true, content: [{ text: unreadable }] });
  expect(client.asked).toHaveLength(2);
  await client.close();
});

test('ScriptedClient repeats a modern call without the answer it refuses to give', async () => {
  const client = inProcess({ era: 'modern', roots: refusing() });
  expect(await client.callTool('roots')).toMatchObject(said('missing'));
  await client.close();
});

test('ScriptedClient hands a modern input request to the test that asks for it', async () => {
  const client = inProcess({ era: 'modern', roots: silent });
  expect(await client.request('tools/call', { name: 'roots' })).toMatchObject({
    resultType: 'input_required',
    inputRequests: { r: { method: 'roots/list' } },
  });
  await client.close();
});

test('ScriptedClient declares what it is told', async () => {
  expect(inProcess({ roots: silent }).capabilities).toEqual({ roots: {} });
  expect(inProcess({ roots: silent, listChanged: true }).capabilities).toEqual({
    roots: { listChanged: true },
  });
  expect(inProcess({ roots: silent, declareRoots: false }).capabilities).toEqual({});
  expect(inProcess({ capabilities: { sampling: {} } }).capabilities).toEqual({ sampling: {} });
});

test('ScriptedClient floods the server with one chunk of notifications', async () => {
  const connection = connectInProcess();
  let notices = 0;
  serveStdio(
    () => {
      const server = new McpServer({ name: 'counter', version: '1.0.0' });
      server.server.setNotificationHandler('notifications/roots/list_changed', () => void notices++);
      return server;
    },
    { transport: connection.transport },
  );
  const client = new ScriptedClient(connection);
  await client.connect();
  client.changeRoots(undefined, 500);
  await client.request('ping');
  expect(notices).toBe(500);
  await client.close();
});

test('ScriptedClient cancels a request', async () => {
  const client = inProcess({ roots: silent });
  await client.connect();
  const abort = new AbortController();
  const called = client.callTool('roots', {}, { signal: abort.signal });
  await client.whenAsked(1);
  abort.abort(new Error('enough'));
  await expect(called).rejects.toThrow('enough');
  await client.close();
});

test('ScriptedClient fails what is pending when the connection is dropped', async () => {
  const client = inProcess({ roots: silent });
  await client.connect();
  const called = client.callTool('roots');
  await client.whenAsked(1);
  client.drop(Buffer.from('{"jsonrpc":'));
  await expect(called).rejects.toMatchObject({ code: 'closed' });
});

test('ScriptedClient drives a server of SDK v1', async () => {
  const connection = connectInProcess();
  const server = new McpServerV1({ name: 'v1', version: '1.0.0' });
  server.registerTool('roots', {}, async () => {
    const { roots } = await server.server.listRoots();
    return { content: [{ type: 'text', text: JSON.stringify(roots) }] };
  });
  await server.connect(connection.transport);
  const client = new ScriptedClient(connection, { roots: answering(ROOTS) });
  await client.connect();
  expect(await client.callTool('roots')).toMatchObject(said(JSON.stringify(ROOTS)));
  await client.close();
});

test('ScriptedClient drives a server in another process and sees it leave', async () => {
  const server = fileURLToPath(new URL('../fixtures/stubborn-server.mjs', import.meta.url));
  const connection = connectToProcess(process.execPath, { args: [server] });
  const client = new ScriptedClient(connection);
  await client.connect();
  expect(await client.callTool('print')).toEqual({ content: [] });
  await client.close();
  expect(await connection.exit).toBe(0);
  expect(connection.stderr()).toBe('a stray line\n');
});

test('ScriptedClient fails what can no longer come, whenever it is asked for', async () => {
  const client = inProcess({ roots: silent });
  await client.connect();
  const early = client.whenAsked(99).catch((error: unknown) => error);
  const ended = { code: 'closed', message: 'Cannot get an answer: the server ended the connection' };
  await client.close();
  expect(await early).toMatchObject(ended);
  await expect(client.whenAsked(99)).rejects.toMatchObject(ended);
  await expect(client.request('ping')).rejects.toMatchObject(ended);
});

test('ScriptedClient does not send a request that is cancelled already', async () => {
  const client = inProcess({});
  await client.connect();
  const before = client.received.length;
  await expect(client.request('ping', {}, { signal: AbortSignal.abort() })).rejects.toThrow('aborted');
  await client.request('ping');
  expect(client.received).toHaveLength(before + 1);
  await client.close();
});

test('ScriptedClient says why there is no answer from a program that does not exist or talks nonsense', async () => {
  const missing = new ScriptedClient(connectToProcess('/nonexistent/program'));
  await expect(missing.connect()).rejects.toMatchObject({ code: 'closed', cause: { code: 'ENOENT' } });
  const script = 'process.stdin.resume(); process.stdout.write("Hello\\n")';
  const chatty = new ScriptedClient(connectToProcess(process.execPath, { args: ['-e', script] }));
  await expect(chatty.connect()).rejects.toMatchObject({
    code: 'invalid-message',
    message: 'Cannot read what the server wrote: "Hello"',
  });
  await chatty.close();
});

test('ScriptedClient returns a result that asks for something else than roots', async () => {
  const connection = connectInProcess();
  const schema = { type: 'object', properties: { name: { type: 'string' } } } as const;
  const question = inputRequired.elicit({ message: 'Who?', requestedSchema: schema });
  serveStdio(
    () => {
      const server = new McpServer({ name: 'asker', version: '1.0.0' });
      server.registerTool('who', {}, () => inputRequired({ inputRequests: { who: question } }));
      return server;
    },
    { transport: connection.transport },
  );
  const capabilities = { elicitation: { form: {} } };
  const client = new ScriptedClient(connection, { era: 'modern', capabilities });
  expect(await client.callTool('who')).toMatchObject({ resultType: 'input_required' });
  await client.close();
});
