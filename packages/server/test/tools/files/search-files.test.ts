import { symlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { makeTree } from '../../fixtures/temp-tree.js';
import { connectTools, ERAS, reportOf } from '../../fixtures/tools-client.js';

const tree = makeTree({
  'in/a.ts': '',
  'in/src/b.ts': '',
  'in/src/.hidden.ts': '',
  'in/dist/c.ts': '',
  'in/.gitignore': 'dist\n',
  'out.ts': '',
});
symlinkSync(tree.path('out.ts'), tree.path('in/outside.ts'));
symlinkSync(tree.path('in/a.ts'), tree.path('in/inside.ts'));
const workspace = { environment: {}, home: '/nonexistent', roots: [tree.path('in')] };

test.each(ERAS)('search_files finds by glob what can be reached (%s)', async (era) => {
  const { data, text, close } = await connectTools({ era, workspace });
  const find = async (args: Record<string, unknown>): Promise<string[]> => {
    const { matches } = await data('search_files', { path: '.', ...args });
    return (matches as string[]).map((path) => path.slice(tree.path('in').length + 1)).sort();
  };
  expect(await find({ pattern: '*.ts' })).toEqual(['a.ts', 'inside.ts']);
  expect(await find({ pattern: '**/*.ts' })).toEqual([
    'a.ts',
    'dist/c.ts',
    'inside.ts',
    'src/.hidden.ts',
    'src/b.ts',
  ]);
  expect(await find({ pattern: '{**/a.ts,**/b.ts}' })).toEqual(['a.ts', 'src/b.ts']);
  expect(await find({ pattern: '**/*.ts', excludePatterns: ['{**/src/**,**/dist/**}'] })).toEqual([
    'a.ts',
    'inside.ts',
  ]);
  expect(await find({ pattern: '**/*.ts', excludePatterns: ['src'] })).toEqual([
    'a.ts',
    'dist/c.ts',
    'inside.ts',
  ]);
  expect(await find({ pattern: '**/*.ts', respectGitignore: true })).not.toContain('dist/c.ts');
  expect(await find({ pattern: 'src' })).toEqual(['src']);
  expect(await text('search_files', { path: 'src', pattern: 'b.*' })).toBe(tree.path('in/src/b.ts'));
  expect(await text('search_files', { path: '.', pattern: 'nothing' })).toBe('No matches found');
  await close();
});

test('search_files pages add up', async () => {
  tree.add(Object.fromEntries(Array.from({ length: 2500 }, (_, index) => [`in/many/${index}.txt`, ''])));
  const { data, close } = await connectTools({ workspace });
  const seen = new Set<string>();
  let cursor: unknown;
  let pages = 0;
  do {
    const page = await data('search_files', { path: 'many', pattern: '*.txt', cursor });
    for (const path of page['matches'] as string[]) seen.add(path);
    cursor = page['nextCursor'];
    pages++;
  } while (cursor !== undefined);
  expect([seen.size, pages]).toEqual([2500, 3]);
  await close();
});

test.each(['', '*'.repeat(1001)])('search_files refuses the glob %j', async (pattern) => {
  const { call, close } = await connectTools({ workspace });
  expect(reportOf(await call('search_files', { path: '.', pattern }))).toMatchObject({
    error_type: 'invalid_option',
  });
  await close();
});
