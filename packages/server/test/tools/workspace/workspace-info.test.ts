import { expect, test } from 'vitest';
import { makeTree } from '../../fixtures/temp-tree.js';
import { connectTools, ERAS, reportOf } from '../../fixtures/tools-client.js';

const tree = makeTree({ 'app/x.txt': 'x', 'lib/': '', 'operator/': '', 'out/y.txt': 'y' });

test.each(ERAS)('workspace_info tells the roots, where they come from, and the project (%s)', async (era) => {
  const { data, text, close } = await connectTools({
    era,
    roots: [tree.uri('app'), tree.uri('missing'), tree.uri('lib')],
  });
  const info = await data('workspace_info');
  expect(info).toMatchObject({
    roots: [
      {
        path: tree.path('app'),
        name: 'app',
        kind: 'directory',
        access: 'read-write',
        source: 'client',
        broad: false,
      },
      { path: tree.path('lib'), source: 'client' },
    ],
    rootCount: 2,
    directory: tree.path('app'),
    client: 'answered',
    sources: expect.arrayContaining([expect.objectContaining({ source: 'client', verdict: 'used' })]),
    rejected: [{ declared: tree.uri('missing'), source: 'client', reason: 'not-found' }],
    project: { name: 'app', id: expect.stringMatching(/^app-[0-9a-f]{8}$/), path: tree.path('app') },
  });
  expect('workspace' in info).toBe(era === 'modern');
  expect(await text('workspace_info')).toContain('2 roots from client');
  await close();
});

test.each(ERAS)('workspace_info says that client roots replaced the operator’s (%s)', async (era) => {
  const workspace = { environment: {}, home: '/nonexistent', roots: [tree.path('operator')] };
  const { data, text, close } = await connectTools({ era, roots: [tree.uri('app')], workspace });
  expect((await data('workspace_info'))['sources']).toEqual(
    expect.arrayContaining([expect.objectContaining({ source: 'flag', verdict: 'replaced' })]),
  );
  expect(await text('workspace_info')).toContain('replaced by the roots of the client');
  await close();
});

test.each(ERAS)('workspace_info checks a path and gives the reason (%s)', async (era) => {
  const { data, text, close } = await connectTools({ era, roots: [tree.uri('app')] });
  expect((await data('workspace_info', { path: 'x.txt' }))['path']).toEqual({
    asked: 'x.txt',
    inScope: true,
    path: tree.path('app/x.txt'),
    root: tree.path('app'),
    exists: true,
    writable: true,
  });
  expect((await data('workspace_info', { path: 'new/y.txt' }))['path']).toMatchObject({
    inScope: true,
    exists: false,
  });
  const outside = tree.path('out/y.txt');
  expect((await data('workspace_info', { path: outside }))['path']).toEqual({
    asked: outside,
    inScope: false,
    refusal: {
      error_type: 'outside_roots',
      message: `Cannot locate ${JSON.stringify(outside)}: it is outside the roots (${tree.path('app')})`,
      instruction: 'Use a path inside one of the roots',
    },
  });
  expect(await text('workspace_info', { path: outside })).toContain('Use a path inside one of the roots');
  await close();
});

test.each(ERAS)('workspace_info without roots says what to do about the project (%s)', async (era) => {
  const { data, text, close } = await connectTools({ era });
  expect(await data('workspace_info')).toMatchObject({
    roots: [],
    client: 'unsupported',
    noProject: { error_type: 'no_project', instruction: 'Call switch_project with your project name' },
  });
  expect(await text('workspace_info')).toContain('Call switch_project with the basename');
  await close();
});

test('workspace_info lists 50 of many roots and counts them all', async () => {
  const names = Array.from({ length: 60 }, (_, index) => `many/${index}`);
  tree.add(Object.fromEntries(names.map((name) => [`${name}/`, ''])));
  const { data, close } = await connectTools({ roots: names.map((name) => tree.uri(name)) });
  const { roots, rootCount } = await data('workspace_info');
  expect(roots).toHaveLength(50);
  expect(rootCount).toBe(60);
  await close();
});

test('a refusal names at most five roots', async () => {
  const names = Array.from({ length: 60 }, (_, index) => `many/${index}`);
  const { call, close } = await connectTools({ roots: names.map((name) => tree.uri(name)) });
  const { message } = reportOf(await call('read_text_file', { path: tree.path('out/y.txt') }));
  expect(message).toContain('and 55 more');
  await close();
});
