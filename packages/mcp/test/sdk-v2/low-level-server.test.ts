import { Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { expect, test } from 'vitest';
import { withWorkspace, type WorkspaceOptions } from '../../src/index.js';
import { answering, connectInProcess, ScriptedClient } from '../../src/testing/index.js';
import { BARE, ERAS, textOf } from '../fixtures/in-process-server.js';
import { makeFolders } from '../../../../testing/temporary-folders.js';

const roots = makeFolders('a');
const A = [{ uri: roots.uri('a') }];
const INFO = { name: 's', version: '1.0.0' };
const capabilities = { tools: {}, prompts: {}, resources: {} };

/** A server as many were written before `McpServer`: one handler for all tools. */
function makeServer(options: WorkspaceOptions = BARE): Server {
  const server = withWorkspace(new Server(INFO, { capabilities }), options);
  server.setRequestHandler('tools/list', () => ({
    tools: [{ name: 'read', inputSchema: { type: 'object' as const } }],
  }));
  server.setRequestHandler('tools/call', async ({ params }, ctx) => {
    const scope = await ctx.workspace.scope();
    const { text } = await scope.readText(String(params.arguments?.['path']));
    return { content: [{ type: 'text', text }] };
  });
  server.setRequestHandler('prompts/get', async (_request, ctx) => ({
    messages: [{ role: 'user', content: { type: 'text', text: String(await ctx.workspace.directory()) } }],
  }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }, ctx) => ({
    contents: [{ uri, text: (await (await ctx.workspace.scope()).readText('name.txt')).text }],
  }));
  server.setRequestHandler('resources/list', async (_request, ctx) => ({
    resources: (await ctx.workspace.roots()).map(({ uri, name }) => ({ uri, name })),
  }));
  return server;
}

async function connect(era: (typeof ERAS)[number], options?: WorkspaceOptions): Promise<ScriptedClient> {
  const connection = connectInProcess();
  serveStdio(() => makeServer(options), { transport: connection.transport });
  const client = new ScriptedClient(connection, { era, roots: answering(A) });
  await client.connect();
  return client;
}

test.each(ERAS)('withWorkspace() gives the handlers of a low-level server the roots: %s', async (era) => {
  const client = await connect(era);
  expect(textOf(await client.callTool('read', { path: 'name.txt' }))).toBe('a');
  expect(await client.call('prompts/get', { name: 'p' })).toMatchObject({
    messages: [{ content: { text: roots.path('a') } }],
  });
  expect(await client.call('resources/read', { uri: 'x://y' })).toMatchObject({ contents: [{ text: 'a' }] });
  const { resources } = await client.request('resources/list');
  expect(resources).toHaveLength(era === 'legacy' ? 1 : 0);
  await client.close();
});

test.each(ERAS)('a refusal of a low-level tool is a result that a model can act on: %s', async (era) => {
  const client = await connect(era);
  const refused = await client.callTool('read', { path: '/etc/passwd' });
  expect(refused).toMatchObject({
    isError: true,
    _meta: { 'rootward/error': { error_type: 'outside_roots' } },
  });
  await client.close();
});

test('onRefusal of a low-level server answers in its place', async () => {
  const client = await connect('legacy', {
    ...BARE,
    onRefusal: ({ code }) => ({ content: [{ type: 'text', text: code }], isError: true }),
  });
  expect(textOf(await client.callTool('read', { path: '/etc/passwd' }))).toBe('outside-roots');
  await client.close();
});

test('withWorkspace() refuses a low-level server whose handlers are set already', () => {
  const server = new Server(INFO, { capabilities });
  server.setRequestHandler('tools/call', () => ({ content: [] }));
  expect(() => withWorkspace(server)).toThrow(
    'Cannot add a workspace: the handler of "tools/call" was set before withWorkspace() was called',
  );
});
