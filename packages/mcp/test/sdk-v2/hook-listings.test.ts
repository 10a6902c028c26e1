import { completable, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';
import { expect, test } from 'vitest';
import { withWorkspace, WorkspaceResourceTemplate } from '../../src/index.js';
import type { WorkspaceContext, WorkspaceOptions } from '../../src/index.js';
import { answering, connectInProcess, ScriptedClient } from '../../src/testing/index.js';
import type { Result, ScriptedClientOptions } from '../../src/testing/index.js';
import { makeFolders } from '../../../../testing/temporary-folders.js';

const roots = makeFolders('a', 'operator');
const A = answering([{ uri: roots.uri('a') }]);
const BARE: WorkspaceOptions = { environment: {}, home: '/nonexistent' };

async function connect(
  client: ScriptedClientOptions,
  options: WorkspaceOptions = BARE,
): Promise<ScriptedClient> {
  const connection = connectInProcess();
  serveStdio(() => templateServer(options), { transport: connection.transport });
  const scripted = new ScriptedClient(connection, client);
  await scripted.connect();
  return scripted;
}

/** A template whose resources are the files of the workspace. */
function templateServer(options: WorkspaceOptions): McpServer {
  const server = withWorkspace(new McpServer({ name: 's', version: '1.0.0' }), options);
  const template = new WorkspaceResourceTemplate('file-of://{path}', {
    list: async ({ workspace }) => ({
      resources: (await names(workspace)).map((name) => ({ uri: `file-of://${name}`, name })),
    }),
    complete: {
      path: async (value, { workspace, arguments: chosen = {} }) =>
        [...(await names(workspace)), ...Object.keys(chosen)].filter((name) => name.startsWith(value)),
    },
  });
  server.registerResource('file', template, {}, () => ({ contents: [] }));
  const argsSchema = z.object({
    path: completable(z.string(), async (_value, context) => {
      const { workspace } = context as unknown as { workspace: WorkspaceContext };
      return names(workspace);
    }),
  });
  server.registerPrompt('about', { argsSchema }, () => ({ messages: [] }));
  return server;
}

async function names(workspace: WorkspaceContext): Promise<string[]> {
  const entries = await (await workspace.scope()).list('.');
  return entries.map(({ name }) => name);
}

const complete = (ref: Result, more: Result = {}): Result => ({
  ref,
  argument: { name: 'path', value: 'n' },
  ...more,
});
const TEMPLATE = { type: 'ref/resource', uri: 'file-of://{path}' };

test('the callbacks of a resource template have the workspace of the connection', async () => {
  const client = await connect({ roots: A });
  const { resources } = await client.request('resources/list');
  expect(resources).toEqual([{ uri: 'file-of://name.txt', name: 'name.txt' }]);
  const context = { arguments: { nearby: 'x', other: 'y' } };
  expect(await client.request('completion/complete', complete(TEMPLATE, { context }))).toMatchObject({
    completion: { values: ['name.txt', 'nearby'] },
  });
  const prompt = { type: 'ref/prompt', name: 'about' };
  expect(await client.request('completion/complete', complete(prompt))).toMatchObject({
    completion: { values: ['name.txt'] },
  });
  expect(client.asked).toHaveLength(1);
  await client.close();
});

test('a modern client is not asked where the result could not ask; the other sources apply', async () => {
  const options = { ...BARE, roots: [roots.path('operator')] };
  const client = await connect({ era: 'modern', roots: A }, options);
  expect(await client.request('resources/list')).toMatchObject({ resources: [{ name: 'name.txt' }] });
  expect(await client.request('completion/complete', complete(TEMPLATE))).toMatchObject({
    completion: { values: ['name.txt'] },
  });
  expect(client.asked).toHaveLength(0);
  await client.close();
});

test.each(['legacy', 'modern'] as const)(
  'without roots, a %s listing is refused with a reason',
  async (era) => {
    const client = await connect({ era });
    for (const refused of [
      client.request('resources/list'),
      client.request('completion/complete', complete(TEMPLATE)),
    ]) {
      await expect(refused).rejects.toMatchObject({ data: { error_type: 'no_roots' } });
    }
    await client.close();
  },
);
