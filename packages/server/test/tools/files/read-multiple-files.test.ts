import { expect, test } from 'vitest';
import { makeTree } from '../../fixtures/temp-tree.js';
import { connectTools, ERAS } from '../../fixtures/tools-client.js';

const tree = makeTree({ 'in/a.txt': 'A', 'in/b.txt': 'B\n', 'out.txt': 'secret' });
const workspace = { environment: {}, home: '/nonexistent', roots: [tree.path('in')] };

test.each(ERAS)('read_multiple_files reports a file it cannot read in its place (%s)', async (era) => {
  const { text, close } = await connectTools({ era, workspace });
  const outside = tree.path('out.txt');
  const parts = (await text('read_multiple_files', { paths: ['a.txt', outside, 'no.txt', 'b.txt'] })).split(
    '\n---\n',
  );
  expect(parts).toEqual([
    'a.txt:\nA\n',
    expect.stringMatching(/: Error - Cannot read .* outside the roots/),
    expect.stringMatching(/^no\.txt: Error - Cannot read "no\.txt": no such file/),
    'b.txt:\nB\n\n',
  ]);
  expect(parts.join()).not.toContain('secret');
  await close();
});

test('read_multiple_files reads at most 8 MB together', async () => {
  tree.add({ 'in/large.txt': 'x'.repeat(7 * 1024 * 1024), 'in/more.txt': 'y'.repeat(2 * 1024 * 1024) });
  const { text, close } = await connectTools({ workspace });
  const result = await text('read_multiple_files', { paths: ['large.txt', 'more.txt', 'a.txt'] });
  expect(result).toMatch(/\nmore\.txt: Error - Cannot read "more\.txt": it has 2097152 bytes/);
  expect(result).toMatch(/\na\.txt:\nA\n$/);
  await close();
});
