import { writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import * as z from 'zod';
import { describe, expect, test } from 'vitest';
import type { WorkspaceServer } from '../../src/index.js';
import { answering, workspaceContext } from '../../src/testing/index.js';
import { connect, ERAS, text } from '../fixtures/in-process-server.js';
import { makeFolders } from '../../../../testing/temporary-folders.js';

const roots = makeFolders('a', 'b', 'home');
const [a, b, home] = [roots.path('a'), roots.path('b'), roots.path('home')];
const file = join(a, 'name.txt');

function build(server: WorkspaceServer): void {
  const inputSchema = z.object({ path: z.string() });
  server.registerTool('read', { inputSchema }, async ({ path }, ctx) =>
    text((await (await ctx.workspace.scope()).readText(path)).text),
  );
  server.registerTool('roots', {}, async (ctx) =>
    text((await ctx.workspace.roots()).map(({ path }) => path).join()),
  );
  server.registerTool('broken', {}, () => {
    throw new Error('of the author');
  });
}

describe.each(ERAS)('on the %s era', (era) => {
  test('onRefusal says what a tool answers, and is not asked about other errors', async () => {
    const codes: string[] = [];
    const client = connect(
      build,
      { era },
      {
        environment: {},
        home: '/nonexistent',
        roots: [a],
        onRefusal: (error) => {
          codes.push(error.code);
          if (error.code === 'not-found') return undefined;
          return { content: [{ type: 'text', text: `no: ${error.code}` }], isError: true };
        },
      },
    );
    await client.connect();
    const refused = await client.callTool('read', { path: '/etc/passwd' });
    expect(refused).toMatchObject({ isError: true, content: [{ text: 'no: outside-roots' }] });
    expect(refused['structuredContent']).toBeUndefined();
    const usual = await client.callTool('read', { path: 'none' });
    expect(usual).toMatchObject({ structuredContent: { error_type: 'not_found' } });
    expect(await client.callTool('broken')).toMatchObject({ isError: true });
    expect(codes).toEqual(['outside-roots', 'not-found']);
    await client.close();
  });

  test('kinds leaves out roots of another kind, whoever names them', async () => {
    const options = { environment: {}, home: '/nonexistent', kinds: ['directory'] } as const;
    const told = [{ uri: roots.uri('b') }, { uri: `${roots.uri('a')}/name.txt` }];
    const client = connect(build, { era, roots: answering(told) }, options);
    await client.connect();
    expect(await client.callTool('roots')).toMatchObject({ content: [{ text: b }] });
    await client.close();
  });
});

test('kinds says why a root does not count', async () => {
  using workspace = workspaceContext({ roots: [a, file], kinds: ['directory'], badRoots: 'skip' });
  expect((await workspace.snapshot()).rejected).toMatchObject([
    { declared: file, reason: 'unwanted-kind', message: expect.stringContaining('it is a file') },
  ]);
  using strict = workspaceContext({ roots: [file], kinds: ['directory'] });
  await expect(strict.roots()).rejects.toMatchObject({ code: 'unwanted-kind' });
});

test.each([
  [{ name: 'MY_ROOTS' }, [a, b].join(delimiter)],
  [{ name: 'MY_ROOTS', separator: ',' }, [a, b].join(',')],
])('rootsVariable %j names roots, before ROOTWARD_ROOTS', async (rootsVariable, value) => {
  const environment = { MY_ROOTS: value, ROOTWARD_ROOTS: home };
  using workspace = workspaceContext({ environment, rootsVariable });
  expect((await workspace.roots()).map(({ path, source }) => [path, source])).toEqual([
    [a, 'env'],
    [b, 'env'],
  ]);
  using other = workspaceContext({ environment: { ROOTWARD_ROOTS: home }, rootsVariable });
  expect((await other.roots()).map(({ path }) => path)).toEqual([home]);
  expect(await other.explain()).toContain('ROOTWARD_ROOTS');
});

test('home is what ~ stands for in the paths of a call', async () => {
  writeFileSync(join(home, 'notes.txt'), 'mine');
  using workspace = workspaceContext({ roots: [home], home });
  expect((await (await workspace.scope()).readText('~/notes.txt')).text).toBe('mine');
});

test('workspaceContext() is all that a handler needs', async () => {
  using workspace = workspaceContext({ roots: [a, b] });
  expect(await workspace.directory()).toBe(a);
  expect((await workspace.project()).name).toBe('a');
  const scope = await workspace.scope();
  expect((await scope.readText('name.txt')).text).toBe('a');
  await expect(scope.readText('/etc/passwd')).rejects.toMatchObject({ code: 'outside-roots' });
  expect((await workspace.live()).snapshot().roots).toHaveLength(2);
  expect(await workspace.handle()).toBeUndefined();
  using none = workspaceContext({});
  expect(await none.roots()).toEqual([]);
  expect(() => workspaceContext({ kinds: [] })).toThrow('kinds');
  expect(() => workspaceContext({ rootsVariable: { name: '' } })).toThrow('rootsVariable');
});
