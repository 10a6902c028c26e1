import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { withWorkspace } from '@rootward/mcp';
import { expect, onTestFinished, test } from 'vitest';
import { ToolChoice } from '../../../src/tools/framework/tool-choice.js';
import { selectTools, ToolKit } from '../../../src/tools/register-tools.js';
import { makeTree } from '../../fixtures/temp-tree.js';
import { textOf } from '../../fixtures/tools-client.js';

const tree = makeTree({ 'a/name.txt': 'a', 'b/name.txt': 'b' });

/** A server of its own, with the tools of all. */
async function connect(
  tools: ToolKit,
  root: string,
  add: (server: McpServer) => void = () => undefined,
): Promise<Client> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const server = withWorkspace(new McpServer({ name: 'shared', version: '1.0.0' }), {
    environment: {},
    home: '/nonexistent',
    roots: [tree.path(root)],
  });
  tools.serveOn(server, { id: '' });
  add(server);
  await server.connect(far);
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(near);
  onTestFinished(() => client.close());
  return client;
}

const read = (client: Client) =>
  client.callTool({ name: 'read_text_file', arguments: { path: 'name.txt' } }).then(textOf);

test('SharedTools serve each server its own workspace, also at the same time', async () => {
  const tools = new ToolKit({ era: 'legacy' });
  const [a, b] = await Promise.all([connect(tools, 'a'), connect(tools, 'b')]);
  const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => read(index % 2 === 0 ? a : b)));
  expect(answers).toEqual(Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? 'a' : 'b')));
});

test('SharedTools come first in the list, and win over a tool of the same name', async () => {
  const tools = new ToolKit({ era: 'legacy' });
  const client = await connect(tools, 'a', (server) => {
    for (const name of ['read_text_file', 'mine']) {
      server.registerTool(name, {}, () => ({ content: [{ type: 'text', text: 'mine' }] }));
    }
  });
  // The list has one order, whatever was called before.
  expect(await read(client)).toBe('a');
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toEqual([...selectTools({}).map(({ name }) => name), 'mine']);
  expect(await read(client)).toBe('a');
  expect(textOf(await client.callTool({ name: 'mine' }))).toBe('mine');
});

test('SharedTools check arguments, and know no other tool', async () => {
  const client = await connect(new ToolKit({ era: 'legacy', toolsets: ['files'] }), 'a');
  const invalid = await client.callTool({ name: 'read_text_file', arguments: { path: 1 } });
  expect([invalid.isError, textOf(invalid)]).toEqual([
    true,
    expect.stringContaining('Cannot call read_text_file: "path" must be a string, not 1'),
  ]);
  await expect(client.callTool({ name: 'find_symbol' })).rejects.toThrow('not found');
});

test('a server without any of them has no tools', async () => {
  const choice = new ToolChoice({ tools: undefined, hideTools: ['*'] });
  const client = await connect(new ToolKit({ era: 'legacy', choice }), 'a');
  expect(client.getServerCapabilities()?.tools).toBeUndefined();
});
