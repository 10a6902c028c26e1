import { symlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { formatSize } from '../../../src/tools/files/list-directory-with-sizes.js';
import { makeTree } from '../../fixtures/temp-tree.js';
import { connectTools, ERAS, reportOf } from '../../fixtures/tools-client.js';

const tree = makeTree({ 'in/b.txt': 'bb', 'in/a/x': '', 'in/.dot': '', 'out.txt': 'secret' });
symlinkSync(tree.path('in/b.txt'), tree.path('in/inside'));
symlinkSync(tree.path('out.txt'), tree.path('in/outside'));
const workspace = { environment: {}, home: '/nonexistent', roots: [tree.path('in')] };

test.each(ERAS)('list_directory lists by name, as data and as text (%s)', async (era) => {
  const { data, text, close } = await connectTools({ era, workspace });
  expect(await text('list_directory', { path: '.' })).toBe(
    '[FILE] .dot\n[DIR] a\n[FILE] b.txt\n[FILE] inside\n[FILE] outside',
  );
  expect(await data('list_directory', { path: '.' })).toEqual({
    entries: [
      { name: '.dot', type: 'file' },
      { name: 'a', type: 'directory' },
      { name: 'b.txt', type: 'file' },
      { name: 'inside', type: 'link' },
      { name: 'outside', type: 'link' },
    ],
  });
  await close();
});

test.each(ERAS)(
  'list_directory_with_sizes says nothing of what a link leads to outside (%s)',
  async (era) => {
    const { data, text, close } = await connectTools({ era, workspace });
    const listed = await data('list_directory_with_sizes', { path: '.' });
    expect(listed).toMatchObject({
      entries: expect.arrayContaining([
        { name: 'b.txt', type: 'file', size: 2 },
        { name: 'inside', type: 'link', size: 2 },
        { name: 'outside', type: 'link', size: 0 },
      ]),
      files: 4,
      directories: 1,
      totalSize: 4,
    });
    const lines = (await text('list_directory_with_sizes', { path: '.', sortBy: 'size' })).split('\n');
    expect(lines[1]).toBe('[FILE] b.txt                                 2 B');
    expect(lines.slice(-3)).toEqual(['', 'Total: 4 files, 1 directories', 'Combined size: 4 B']);
    await close();
  },
);

test('a large directory comes in pages that add up', async () => {
  const count = 4500;
  tree.add(Object.fromEntries(Array.from({ length: count }, (_, index) => [`in/many/${index}.txt`, ''])));
  const { data, text, close } = await connectTools({ workspace });
  for (const name of ['list_directory', 'list_directory_with_sizes']) {
    const seen = new Set<string>();
    let cursor: unknown;
    let pages = 0;
    do {
      const page = await data(name, { path: 'many', cursor });
      for (const entry of page['entries'] as { name: string }[]) seen.add(entry.name);
      cursor = page['nextCursor'];
      pages++;
    } while (cursor !== undefined);
    expect([name, seen.size, pages]).toEqual([name, count, 3]);
    expect(await text(name, { path: 'many' })).toMatch(
      /\n\[more follows: pass cursor "2000\.[0-9a-f]{8}"\]$/,
    );
  }
  await close();
});

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1.00 KB'],
  [1536, '1.50 KB'],
  [5 * 1024 ** 4, '5.00 TB'],
  [5 * 1024 ** 5, '5120.00 TB'],
])('formatSize(%i) is %s', (bytes, text) => {
  expect(formatSize(bytes)).toBe(text);
});

test.each([
  ['list_directory', {}],
  ['list_directory_with_sizes', {}],
  ['directory_tree', {}],
  ['search_files', { pattern: '*' }],
])('%s says that a file is no directory', async (name, args) => {
  const { call, close } = await connectTools({ workspace });
  expect(reportOf(await call(name, { path: 'b.txt', ...args }))).toMatchObject({
    error_type: 'not_a_directory',
    message: expect.stringMatching(/"b\.txt": it, or a part of its path, is not a folder$/),
    instruction: 'Pass the path of a directory',
  });
  await close();
});
