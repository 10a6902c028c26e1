import { rmSync } from 'node:fs';
import { Scope } from '@rootward/core';
import { expect, test } from 'vitest';
import { makeTree } from '../../fixtures/temp-tree.js';
import { connectTools, ERAS, reportOf } from '../../fixtures/tools-client.js';

const tree = makeTree({
  'in/a.ts': 'const needle = 1;\n',
  'in/src/b.js': '// no\n// Needle\n',
  'in/dist/c.ts': 'needle',
  'in/.gitignore': 'dist\n',
  'in/nested/root/d.ts': 'needle',
  'other/e.ts': 'needle',
  'single.txt': 'needle',
  'out/f.ts': 'needle',
});
const roots = [tree.uri('in'), tree.uri('in/nested/root'), tree.uri('other'), tree.uri('single.txt')];

test.each(ERAS)('search_content searches all roots once, or one path (%s)', async (era) => {
  const { data, text, close } = await connectTools({ era, roots });
  const find = async (args: Record<string, unknown>): Promise<string[]> => {
    const { matches } = await data('search_content', { pattern: 'needle', ...args });
    return (matches as { path: string; line: number }[])
      .map(({ path, line }) => `${path.slice(tree.top.length + 1)}:${line}`)
      .sort();
  };
  expect(await find({})).toEqual(['in/a.ts:1', 'in/nested/root/d.ts:1', 'other/e.ts:1', 'single.txt:1']);
  expect(await find({ path: tree.path('in'), respectGitignore: false })).toContain('in/dist/c.ts:1');
  expect(await find({ path: 'src', ignoreCase: true })).toEqual(['in/src/b.js:2']);
  expect(await find({ path: tree.path('single.txt') })).toEqual(['single.txt:1']);
  expect(await find({ glob: '*.js', ignoreCase: true })).toEqual(['in/src/b.js:2']);
  expect(await find({ path: tree.path('in'), glob: 'nested/**' })).toEqual(['in/nested/root/d.ts:1']);
  expect(await text('search_content', { path: 'a.ts', pattern: 'needle' })).toBe(
    `${tree.path('in/a.ts')}:1: const needle = 1;`,
  );
  expect(await text('search_content', { pattern: 'nowhere' })).toBe('No matches found');
  await close();
});

test('search_content pages add up', async () => {
  tree.add({ 'many/f.txt': 'line\n'.repeat(450) });
  const { data, close } = await connectTools({ roots: [tree.uri('many')] });
  const lines: number[] = [];
  let cursor: unknown;
  do {
    const page = await data('search_content', { pattern: 'line', cursor });
    lines.push(...(page['matches'] as { line: number }[]).map(({ line }) => line));
    cursor = page['nextCursor'];
  } while (cursor !== undefined);
  expect(lines).toEqual(Array.from({ length: 450 }, (_, index) => index + 1));
  await close();
});

test('search_content refuses a named file that is not text, and a glob that is empty', async () => {
  const bytes = makeTree({
    'in/latin1.txt': new Uint8Array([0xe9]),
    'in/large.bin': new Uint8Array(2_000_000).fill(0xe9),
  });
  const { call, data, close } = await connectTools({ roots: [bytes.uri('in')] });
  for (const path of ['latin1.txt', 'large.bin']) {
    expect(reportOf(await call('search_content', { pattern: 'x', path }))).toMatchObject({
      error_type: 'not_text',
      message: `Cannot search "${path}": it is not UTF-8 text`,
    });
  }
  expect((await data('search_content', { pattern: 'x', path: '.' }))['matches']).toEqual([]);
  expect(reportOf(await call('search_content', { pattern: 'x', glob: '' }))).toMatchObject({
    message: 'Cannot use the glob "": it is empty',
  });
  await close();
});

test('search_content does not search a broad root that was not named', async () => {
  const workspace = { environment: {}, home: tree.path('in'), roots: [tree.path('in')] };
  const { call, data, close } = await connectTools({ workspace });
  expect(reportOf(await call('search_content', { pattern: 'needle' }))).toMatchObject({
    error_type: 'invalid_option',
    instruction: 'Pass the path of the directory to search',
  });
  expect((await data('search_content', { pattern: 'needle', path: '.' }))['matches']).toHaveLength(2);
  await close();
});

test.each(ERAS)('search_content without roots says so (%s)', async (era) => {
  const { call, close } = await connectTools({ era });
  expect(reportOf(await call('search_content', { pattern: 'needle' }))).toMatchObject({
    error_type: 'no_roots',
  });
  await close();
});

test('search_content searches a root inside another that leaves it out, once', async () => {
  const { data, close } = await connectTools({ roots: [tree.uri('in'), tree.uri('in/dist')] });
  const { matches } = await data('search_content', { pattern: 'needle', glob: '*.ts' });
  const paths = (matches as { path: string }[]).map(({ path }) => path.slice(tree.top.length + 1));
  expect(paths.sort()).toEqual(['in/a.ts', 'in/dist/c.ts', 'in/nested/root/d.ts']);
  await close();
});

test('search_content is not spoiled by a root that is gone, or by one that is denied', async () => {
  const gone = makeTree({ 'gone/x.ts': 'needle', 'kept/y.ts': 'needle', 'kept/secret.ts': 'needle' });
  const { data, close } = await connectTools({
    roots: [gone.uri('gone'), gone.uri('kept/secret.ts'), gone.uri('kept')],
    workspace: { createScope: ({ roots: all }) => new Scope({ roots: all, rules: { deny: ['secret.*'] } }) },
  });
  expect((await data('search_content', { pattern: 'needle' }))['matches']).toHaveLength(2);
  rmSync(gone.path('gone'), { recursive: true });
  expect((await data('search_content', { pattern: 'needle' }))['matches']).toMatchObject([
    { path: gone.path('kept/y.ts') },
  ]);
  await close();
});

test('search_content goes on after a line or a file that is too long for it, and says so', async () => {
  const long = makeTree({
    'in/data.jsonl': `\uFEFFneedle 1\n${'x'.repeat(10 * 1024 * 1024)}needle\nneedle 3\n`,
    'in/small.ts': 'needle',
    'in/vendor.min.js': 'needle(e,t){return e+t};'.repeat(40_000),
  });
  const { data, text, close } = await connectTools({ roots: [long.uri('in')] });
  const lines = (found: Record<string, unknown>): unknown =>
    (found['matches'] as { path: string; line: number }[])
      .map(({ path, line }) => `${path.slice(long.path('in').length + 1)}:${line}`)
      .sort();
  const found = await data('search_content', { pattern: '^needle' });
  expect(lines(found)).toEqual(['data.jsonl:1', 'data.jsonl:3', 'small.ts:1', 'vendor.min.js:1']);
  expect(found).toMatchObject({ unfinishedFiles: 1, unreadableFiles: 0 });
  const slow = { pattern: 'needle.*[@]|small', glob: '{small,vendor}.*' };
  expect(await data('search_content', slow)).toMatchObject({ matches: [], unfinishedFiles: 1 });
  expect(await text('search_content', slow)).toContain('not UTF-8 text: 1 files');
  await close();
});
