import { symlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { makeTree } from '../../fixtures/temp-tree.js';
import { connectTools, ERAS, notesOf } from '../../fixtures/tools-client.js';

const tree = makeTree({
  'in/src/a.ts': '',
  'in/src/deep/b.ts': '',
  'in/node_modules/x/y.js': '',
  'in/.gitignore': 'node_modules\n',
  'in/empty/': '',
  'out/secret.txt': '',
});
symlinkSync(tree.path('out'), tree.path('in/link'));
const workspace = { environment: {}, home: '/nonexistent', roots: [tree.path('in')] };
const file = (name: string) => ({ name, type: 'file' });
const directory = (name: string, ...children: unknown[]) => ({ name, type: 'directory', children });

test.each(ERAS)('directory_tree gives the tree as data and as text, links not followed (%s)', async (era) => {
  const { data, text, close } = await connectTools({ era, workspace });
  const expected = [
    file('.gitignore'),
    directory('empty'),
    file('link'),
    directory('node_modules', directory('x', file('y.js'))),
    directory('src', file('a.ts'), directory('deep', file('b.ts'))),
  ];
  expect(await data('directory_tree', { path: '.' })).toEqual({ tree: expected, truncated: false });
  expect(await text('directory_tree', { path: '.' })).toBe(JSON.stringify(expected, null, 2));
  await close();
});

test.each([
  [{ excludePatterns: ['node_modules', 'deep'] }, ['.gitignore', 'empty', 'link', 'src/a.ts']],
  [{ excludePatterns: ['**/*.ts', 'node_modules/**', '.*'] }, ['empty', 'link', 'node_modules', 'src/deep']],
  [
    { respectGitignore: true, excludePatterns: ['empty', 'link'] },
    ['.gitignore', 'src/a.ts', 'src/deep/b.ts'],
  ],
])('directory_tree with %j leaves the rest out', async (args, expected) => {
  const { data, close } = await connectTools({ workspace });
  const leaves = (nodes: readonly { name: string; children?: [] }[], above: string): string[] =>
    nodes.flatMap(({ name, children = [] }) =>
      children.length === 0 ? [above + name] : leaves(children, `${above}${name}/`),
    );
  const { tree: nodes } = await data('directory_tree', { path: '.', ...args });
  expect(leaves(nodes as [], '')).toEqual(expected);
  await close();
});

test('directory_tree marks what maxDepth leaves out', async () => {
  const { data, close } = await connectTools({ workspace });
  const { tree: nodes } = await data('directory_tree', { path: 'src', maxDepth: 1 });
  expect(nodes).toEqual([file('a.ts'), { ...directory('deep'), truncated: true }]);
  await close();
});

test('directory_tree is cut at the depth that fits, and says so', async () => {
  const names = Array.from({ length: 60 }, (_, index) => `d${index}`);
  const files = names.flatMap((name) =>
    Array.from({ length: 100 }, (_, index) => [`big/${name}/f${index}`, ''] as const),
  );
  tree.add(Object.fromEntries(files));
  const { call, close } = await connectTools({ workspace: { ...workspace, roots: [tree.path('big')] } });
  const result = await call('directory_tree', { path: '.' });
  const note = expect.stringMatching(/^Truncated: more than 5000 entries, so only the first level is shown/);
  expect(notesOf(result)).toEqual([note]);
  expect(result.structuredContent).toMatchObject({ truncated: true, note });
  const { tree: nodes } = result.structuredContent as { tree: unknown[] };
  expect(nodes).toHaveLength(60);
  expect(nodes[0]).toEqual({ ...directory('d0'), truncated: true });
  const part = await call('directory_tree', { path: 'd7' });
  expect(part.structuredContent).toMatchObject({ truncated: false });
  const whole = await call('directory_tree', { path: '.', maxEntries: 6060 });
  expect(whole.structuredContent).toMatchObject({ truncated: false });
  expect(notesOf(whole)).toEqual([]);
  // So many are for a program: the same JSON, without blanks.
  const { tree: all } = whole.structuredContent as { tree: unknown[] };
  expect(whole.content[0]).toMatchObject({ text: JSON.stringify(all) });
  const less = await call('directory_tree', { path: '.', maxEntries: 6059 });
  expect(notesOf(less)).toEqual([
    expect.stringMatching(/^Truncated: more than 6059 entries, so only the first level/),
  ]);
  await close();
});

test('directory_tree of a tree of hundreds of levels is cut at the depth that fits', async () => {
  const levels = Array.from({ length: 700 }, (_, level) => 'd/'.repeat(level));
  tree.add(
    Object.fromEntries(
      levels.flatMap((above) =>
        Array.from({ length: 8 }, (_, index) => [`deep/${above}${index}`, ''] as const),
      ),
    ),
  );
  const { call, close } = await connectTools({ workspace: { ...workspace, roots: [tree.path('deep')] } });
  const result = await call('directory_tree', { path: '.' });
  // Nine entries on each level but the last.
  expect(notesOf(result)).toEqual([expect.stringContaining('only the first 555 levels are shown')]);
  const { tree: nodes } = result.structuredContent as { tree: unknown[] };
  expect(result.content[0]).toMatchObject({ text: JSON.stringify(nodes) });
  await close();
});

test('directory_tree of a directory that is too full itself shows a part of it, and says so', async () => {
  tree.add(Object.fromEntries(Array.from({ length: 5001 }, (_, index) => [`full/f${index}`, ''])));
  const { call, close } = await connectTools({ workspace: { ...workspace, roots: [tree.path('full')] } });
  const result = await call('directory_tree', { path: '.' });
  expect(notesOf(result)).toEqual([expect.stringMatching(/the directory itself has more than 5000 entries/)]);
  expect((result.structuredContent as { tree: unknown[] }).tree).toHaveLength(5000);
  await close();
});
