import * as z from 'zod';
import { expect, test } from 'vitest';
import type { WorkspaceServer } from '../../src/index.js';
import { answering } from '../../src/testing/index.js';
import { BARE, connect, ERAS, reader, text, textOf } from '../fixtures/in-process-server.js';
import { makeFolders } from '../../../../testing/temporary-folders.js';

const roots = makeFolders('a', 'b');
const A = [{ uri: roots.uri('a') }];

test.each(ERAS)('a refused path becomes a %s tool result a model can act on', async (era) => {
  const client = connect(reader, { era, roots: answering(A) });
  await client.connect();
  const result = await client.callTool('read', { path: roots.path('b') });
  const report = { error_type: 'outside_roots', instruction: expect.stringMatching(/./) };
  expect(result).toMatchObject({
    isError: true,
    structuredContent: report,
    _meta: { 'rootward/error': report },
  });
  expect(textOf(result)).toContain(roots.path('b'));
  await client.close();
});

test.each(ERAS)('project() without any directory tells a %s model what to do', async (era) => {
  const client = connect(
    (server) => server.registerTool('project', {}, async (ctx) => text(await ctx.workspace.project())),
    { era },
  );
  await client.connect();
  expect(await client.callTool('project')).toMatchObject({
    isError: true,
    structuredContent: {
      error_type: 'no_project',
      message:
        'Project context not available. Call switch_project with the basename of the current working directory.',
      instruction: 'Call switch_project with your project name',
    },
  });
  await client.close();
});

function explain(server: WorkspaceServer): void {
  server.registerTool('explain', {}, async (ctx) => text(await ctx.workspace.explain()));
}

test('messages name the options of withWorkspace(), not flags the server may not have', async () => {
  const plain = connect(explain, {});
  await plain.connect();
  const words = textOf(await plain.callTool('explain'));
  expect(words).toContain('the option roots not given');
  expect(words).not.toContain('--');
  await plain.close();

  const wrong = connect(explain, {}, { ...BARE, roots: [`${roots.path('a')}-none`] });
  await wrong.connect();
  expect(textOf(await wrong.callTool('explain'))).toContain('(given by the option roots)');
  await wrong.close();

  const flags = connect(explain, {}, { ...BARE, origins: { roots: '--folder' } });
  await flags.connect();
  expect(textOf(await flags.callTool('explain'))).toContain('--folder not given');
  await flags.close();
});

test('a tool with an output schema reports errors without structured content, which clients would check', async () => {
  const client = connect(
    (server) =>
      server.registerTool('project', { outputSchema: z.object({ name: z.string() }) }, async (ctx) => {
        const { name } = await ctx.workspace.project();
        return { ...text(name), structuredContent: { name } };
      }),
    {},
  );
  await client.connect();
  const result = await client.callTool('project');
  expect(result).toMatchObject({ isError: true, _meta: { 'rootward/error': { error_type: 'no_project' } } });
  expect(result).not.toHaveProperty('structuredContent');
  await client.close();
});

test.each(ERAS)('errors of the workspace are JSON-RPC errors in %s prompts and resources', async (era) => {
  const client = connect(
    (server) => {
      server.registerPrompt('p', {}, async (ctx) => {
        await ctx.workspace.project();
        return { messages: [] };
      });
      server.registerResource('r', 'workspace://name', {}, async (_uri, ctx) => {
        await (await ctx.workspace.scope()).readText('name.txt');
        return { contents: [] };
      });
    },
    { era },
  );
  await client.connect();
  await expect(client.call('prompts/get', { name: 'p' })).rejects.toMatchObject({
    code: -32_602,
    data: { error_type: 'no_project', instruction: 'Call switch_project with your project name' },
  });
  await expect(client.call('resources/read', { uri: 'workspace://name' })).rejects.toMatchObject({
    code: -32_602,
    data: { error_type: 'no_roots' },
  });
  await client.close();
});
