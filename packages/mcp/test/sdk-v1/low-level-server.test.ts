import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, test } from 'vitest';
import { withWorkspace } from '../../src/sdk-v1/index.js';
import { answering, connectInProcess, ScriptedClient } from '../../src/testing/index.js';
import { makeFolders } from '../../../../testing/temporary-folders.js';

const roots = makeFolders('a');
const INFO = { name: 's', version: '1.0.0' };
const capabilities = { tools: {} };

test('withWorkspace() of v1 gives the handlers of a low-level server the roots', async () => {
  // oxlint-disable-next-line typescript/no-deprecated -- many servers are written that way
  const server = withWorkspace(new Server(INFO, { capabilities }), {
    environment: {},
    home: '/nonexistent',
  });
  server.setRequestHandler(ListToolsRequestSchema, async (_request, extra) => ({
    tools: (await extra.workspace.roots()).map(({ name }) => ({ name, inputSchema: { type: 'object' } })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const scope = await extra.workspace.scope();
    const { text } = await scope.readText(String(params.arguments?.['path']));
    return { content: [{ type: 'text', text }] };
  });
  const connection = connectInProcess();
  await server.connect(connection.transport);
  const client = new ScriptedClient(connection, { roots: answering([{ uri: roots.uri('a') }]) });
  await client.connect();
  expect(await client.callTool('read', { path: 'name.txt' })).toMatchObject({ content: [{ text: 'a' }] });
  expect(await client.callTool('read', { path: '/etc/passwd' })).toMatchObject({
    isError: true,
    _meta: { 'rootward/error': { error_type: 'outside_roots' } },
  });
  expect(await client.request('tools/list')).toMatchObject({ tools: [{ name: 'a' }] });
  expect(client.asked).toHaveLength(1);
  await client.close();
});

test('withWorkspace() of v1 refuses a low-level server whose handlers are set already', () => {
  // oxlint-disable-next-line typescript/no-deprecated -- many servers are written that way
  const server = new Server(INFO, { capabilities });
  server.setRequestHandler(CallToolRequestSchema, () => ({ content: [] }));
  expect(() => withWorkspace(server)).toThrow('the handler of "tools/call" was set before withWorkspace()');
});
