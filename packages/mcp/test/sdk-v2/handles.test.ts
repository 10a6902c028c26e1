import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { expect, test } from 'vitest';
import { withWorkspace, type WorkspaceOptions } from '../../src/index.js';
import { answering, connectInProcess, ScriptedClient } from '../../src/testing/index.js';
import type { Result, ScriptedClientOptions } from '../../src/testing/index.js';
import { makeFolders } from '../../../../testing/temporary-folders.js';

const roots = makeFolders('a', 'b', 'c');
const BARE: WorkspaceOptions = { environment: {}, home: '/nonexistent', handleKey: 'k'.repeat(32) };

function connect(client: ScriptedClientOptions, options: WorkspaceOptions = BARE): ScriptedClient {
  const connection = connectInProcess();
  serveStdio(
    () => {
      const server = withWorkspace(new McpServer({ name: 's', version: '1.0.0' }), options);
      server.registerTool('info', {}, async (ctx) => ({
        content: [],
        structuredContent: {
          roots: (await ctx.workspace.roots()).map(({ path, source }) => `${source} ${path}`),
          handle: (await ctx.workspace.handle()) ?? null,
        },
      }));
      const inputSchema = z.object({ workspace: z.unknown().optional() });
      server.registerTool('roots', { inputSchema }, async (_args, ctx) => ({
        content: [],
        structuredContent: {
          roots: (await ctx.workspace.roots()).map(({ path, source }) => `${source} ${path}`),
        },
      }));
      return server;
    },
    { transport: connection.transport },
  );
  return new ScriptedClient(connection, client);
}

const structured = (result: Result) => result['structuredContent'] as { roots: string[]; handle: string };
const handleOf = async (client: ScriptedClient): Promise<string> =>
  structured(await client.callTool('info')).handle;
const A: ScriptedClientOptions = { era: 'modern', roots: answering([{ uri: roots.uri('a') }]) };

test('a handle spares a modern call the question', async () => {
  const client = connect(A);
  const handle = await handleOf(client);
  expect(client.asked).toHaveLength(1);
  const result = await client.callTool('roots', { workspace: handle });
  expect(structured(result).roots).toEqual([`handle ${roots.path('a')}`]);
  expect(client.asked).toHaveLength(1);
  await client.close();
});

test('instances that share a key accept each other’s handles; others do not', async () => {
  const first = connect(A);
  const handle = await handleOf(first);
  const sharing = connect({ era: 'modern' });
  expect(structured(await sharing.callTool('roots', { workspace: handle })).roots).toHaveLength(1);
  const environment = { ROOTWARD_HANDLE_KEY: 'k'.repeat(32) };
  const configured = connect({ era: 'modern' }, { environment, home: '/nonexistent' });
  expect(structured(await configured.callTool('roots', { workspace: handle })).roots).toHaveLength(1);
  const stranger = connect({ era: 'modern' }, { ...BARE, handleKey: 'z'.repeat(32) });
  expect(await stranger.callTool('roots', { workspace: handle })).toMatchObject({
    isError: true,
    structuredContent: {
      error_type: 'invalid_handle',
      instruction: 'Omit `workspace`, or call workspace_info for a new one',
    },
  });
  await Promise.all([first, sharing, configured, stranger].map((client) => client.close()));
});

test.each([[''], ['nonsense'], [7], [null], [{}]])(
  'a modern call with workspace: %j fails and asks nobody',
  async (workspace) => {
    const client = connect(A);
    expect(await client.callTool('roots', { workspace })).toMatchObject({
      isError: true,
      structuredContent: { error_type: 'invalid_handle' },
    });
    expect(client.asked).toHaveLength(0);
    await client.close();
  },
);

test('the roots of a handle are cut to the ceiling of whoever serves it', async () => {
  const first = connect({
    era: 'modern',
    roots: answering([{ uri: roots.uri('a') }, { uri: roots.uri('b') }]),
  });
  const handle = await handleOf(first);
  const within = (name: 'a' | 'c') => connect({ era: 'modern' }, { ...BARE, within: [roots.path(name)] });
  const narrower = within('a');
  expect(structured(await narrower.callTool('roots', { workspace: handle })).roots).toEqual([
    `handle ${roots.path('a')}`,
  ]);
  const elsewhere = within('c');
  expect(await elsewhere.callTool('roots', { workspace: handle })).toMatchObject({
    isError: true,
    structuredContent: {
      error_type: 'outside_ceiling',
      instruction: 'Omit `workspace`, or call workspace_info for a new one',
    },
  });
  await Promise.all([first, narrower, elsewhere].map((client) => client.close()));
});

test('a root of a handle that became a link is canonicalised, and refused beyond the ceiling', async () => {
  const link = join(roots.top, 'link');
  symlinkSync(roots.path('a'), link);
  const options = { ...BARE, within: [roots.path('a')] };
  const client = connect({ era: 'modern', roots: answering([{ uri: `file://${link}` }]) }, options);
  const handle = await handleOf(client);
  unlinkSync(link);
  // The handle holds the canonical path, so where the link leads now makes no difference.
  symlinkSync('/', link);
  expect(structured(await client.callTool('roots', { workspace: handle })).roots).toEqual([
    `handle ${roots.path('a')}`,
  ]);
  unlinkSync(link);
  await client.close();
});

test('a legacy connection mints no handle for the roots it knows, and refuses a bad one', async () => {
  const client = connect({ roots: answering([{ uri: roots.uri('a') }]) });
  await client.connect();
  expect(await handleOf(client)).toBeNull();
  expect(await client.callTool('roots', { workspace: 'anything' })).toMatchObject({
    isError: true,
    structuredContent: { error_type: 'invalid_handle' },
  });
  await client.close();
});

test('a legacy connection takes the roots of a handle for one call', async () => {
  const modern = connect({ era: 'modern', roots: answering([{ uri: roots.uri('b') }]) });
  const handle = await handleOf(modern);
  const client = connect({ roots: answering([{ uri: roots.uri('a') }]) });
  await client.connect();
  const pinned = await client.callTool('roots', { workspace: handle });
  expect(structured(pinned).roots).toEqual([`handle ${roots.path('b')}`]);
  expect(structured(await client.callTool('roots')).roots).toEqual([`client ${roots.path('a')}`]);
  await Promise.all([modern.close(), client.close()]);
});

test('an author may use the argument name for something else', async () => {
  const client = connect(A, { ...BARE, handleArgument: false });
  const result = await client.callTool('roots', { workspace: 'my-team' });
  expect(structured(result).roots).toEqual([`client ${roots.path('a')}`]);
  await client.close();
});

test('where client roots are ignored, handles are not read and nobody is asked', async () => {
  const client = connect(A, { ...BARE, clientRoots: 'ignore', roots: [roots.path('c')] });
  const result = await client.callTool('roots', { workspace: 'nonsense' });
  expect(structured(result).roots).toEqual([`flag ${roots.path('c')}`]);
  expect(client.asked).toHaveLength(0);
  await client.close();
});
