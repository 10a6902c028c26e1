import { chmodSync, utimesSync } from 'node:fs';
import { expect, test } from 'vitest';
import { makeTree } from '../../fixtures/temp-tree.js';
import { connectTools, ERAS } from '../../fixtures/tools-client.js';

const tree = makeTree({ 'f.txt': 'four' });
const workspace = { environment: {}, home: '/nonexistent', roots: [tree.top] };

test.each(ERAS)('get_file_info gives size, times, type and permissions (%s)', async (era) => {
  const time = new Date('2026-01-02T03:04:05Z');
  chmodSync(tree.path('f.txt'), 0o640);
  utimesSync(tree.path('f.txt'), time, time);
  const { data, text, close } = await connectTools({ era, workspace });
  expect(await data('get_file_info', { path: 'f.txt' })).toMatchObject({
    size: 4,
    modified: '2026-01-02T03:04:05.000Z',
    isDirectory: false,
    isFile: true,
    permissions: '640',
  });
  expect(await text('get_file_info', { path: 'f.txt' })).toContain(`\nmodified: ${time.toString()}\n`);
  expect(await data('get_file_info', { path: '.' })).toMatchObject({ isDirectory: true, isFile: false });
  await close();
});

test('list_allowed_directories lists thousands of roots in pages', async () => {
  const names = Array.from({ length: 1200 }, (_, index) => `roots/${index}`);
  tree.add(Object.fromEntries(names.map((name) => [`${name}/`, ''])));
  const { data, text, close } = await connectTools({ roots: names.map((name) => tree.uri(name)) });
  const first = await data('list_allowed_directories');
  expect(first['directories']).toHaveLength(500);
  const rest = await data('list_allowed_directories', { cursor: first['nextCursor'] });
  expect((rest['directories'] as string[])[0]).toBe(tree.path('roots/500'));
  expect(await text('list_allowed_directories')).toMatch(/^Allowed directories:\n\//);
  await close();
});
