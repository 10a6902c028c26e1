import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { makeTree } from '../../fixtures/temp-tree.js';
import { connectTools, ERAS, reportOf } from '../../fixtures/tools-client.js';

const tree = makeTree();
const workspace = { environment: {}, home: '/nonexistent', roots: [tree.top] };
const edit = (oldText: string, newText: string) => ({ oldText, newText });

test.each(ERAS)('edit_file returns a unified diff, and dryRun only that (%s)', async (era) => {
  tree.add({ 'f.txt': 'one\ntwo\nthree\n' });
  const { text, close } = await connectTools({ era, workspace });
  const args = { path: tree.path('f.txt'), edits: [edit('two', '2')] };
  const diff = await text('edit_file', { ...args, dryRun: true });
  expect(diff).toContain('```diff\n');
  expect(diff).toContain('\n one\n-two\n+2\n three\n');
  expect(readFileSync(tree.path('f.txt'), 'utf8')).toBe('one\ntwo\nthree\n');
  expect(await text('edit_file', args)).toBe(diff);
  expect(readFileSync(tree.path('f.txt'), 'utf8')).toBe('one\n2\nthree\n');
  await close();
});

const MANY_LINES = Array.from({ length: 40 }, (_, index) => `line ${index}.\n`).join('');

test.each([
  ['a file without a newline at its end', 'a\nb', [edit('b', 'c')]],
  ['a newline that is new at its end', 'a\nb', [edit('b', 'b\n')]],
  ['a newline that is gone from its end', 'a\nb\n', [edit('b\n', 'b')]],
  ['a file that becomes empty', 'a\n', [edit('a\n', '')]],
  ['CRLF', 'a\r\nb\r\nc\r\n', [edit('b\n', 'x\ny\n')]],
  ['mixed line ends', 'a\r\nb\nc\rd\n', [edit('b', 'x')]],
  ['a byte order mark', '\uFEFFa\nb\n', [edit('a', 'x')]],
  ['characters of any length', 'ä\n😀\n☂\n', [edit('😀', 'é😀\u2028')]],
  ['several places', MANY_LINES, [edit('line 1.', 'first'), edit('line 20.', ''), edit('line 39.\n', '')]],
])('git applies the diff of a dry run to %s', async (_, content, edits) => {
  const path = 'to be/pätched.txt';
  tree.add({ [path]: content });
  const { text, close } = await connectTools({ workspace });
  const diff = await text('edit_file', { path, edits, dryRun: true });
  const file = (): string => readFileSync(tree.path(path), 'utf8');
  expect(file()).toBe(content);
  const patch = /^```diff\n([^]*)```\n\n$/.exec(diff)?.[1] ?? '';
  const options = ['apply', '-p0', '--whitespace=nowarn'];
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  execFileSync('git', options, { cwd: tree.top, input: patch, env });
  const patched = file();
  tree.add({ [path]: content });
  await text('edit_file', { path, edits });
  expect(patched).not.toBe(content);
  expect(patched).toBe(file());
  await close();
});

test.each(['./named/a.txt', 'named//a.txt', 'named/../named/a.txt'])(
  'the diff of %s names the file as git takes it',
  async (path) => {
    tree.add({ 'named/a.txt': 'a\n' });
    const { text, close } = await connectTools({ workspace });
    const diff = await text('edit_file', { path, edits: [edit('a', 'b')], dryRun: true });
    expect(diff).toContain('\n--- named/a.txt\toriginal\n+++ named/a.txt\tmodified\n');
    await close();
  },
);

test('edit_file keeps mode, byte order mark, line endings and a missing final newline', async () => {
  tree.add({ 'f.sh': '\uFEFFa\r\nb' });
  chmodSync(tree.path('f.sh'), 0o751);
  const { text, close } = await connectTools({ workspace });
  await text('edit_file', { path: 'f.sh', edits: [edit('a\nb', 'c\nd')] });
  expect(readFileSync(tree.path('f.sh'), 'utf8')).toBe('\uFEFFc\r\nd');
  expect(statSync(tree.path('f.sh')).mode & 0o777).toBe(0o751);
  await close();
});

test('edit_file applies all edits or none', async () => {
  tree.add({ 'f.txt': 'a b' });
  const { call, close } = await connectTools({ workspace });
  const result = await call('edit_file', { path: 'f.txt', edits: [edit('a', 'x'), edit('c', 'y')] });
  expect(reportOf(result)).toMatchObject({
    error_type: 'not_found',
    instruction: expect.stringMatching(/Read/),
  });
  expect(readFileSync(tree.path('f.txt'), 'utf8')).toBe('a b');
  await close();
});

test.each([
  ['empty', '', 'invalid_option'],
  ['ambiguous', 'a', 'ambiguous'],
])('edit_file refuses an %s oldText and changes nothing', async (_, oldText, type) => {
  tree.add({ 'f.txt': 'a\na\n' });
  const { call, close } = await connectTools({ workspace });
  const report = reportOf(await call('edit_file', { path: 'f.txt', edits: [edit(oldText, 'x')] }));
  expect(report['error_type']).toBe(type);
  expect(readFileSync(tree.path('f.txt'), 'utf8')).toBe('a\na\n');
  await close();
});

test('edit_file leaves bytes that are not text alone', async () => {
  const bytes = new Uint8Array([0x61, 0xff, 0xfe, 0x62]);
  tree.add({ 'f.bin': bytes });
  const { call, close } = await connectTools({ workspace });
  expect(reportOf(await call('edit_file', { path: 'f.bin', edits: [edit('a', 'x')] }))).toMatchObject({
    error_type: 'not_text',
  });
  expect(new Uint8Array(readFileSync(tree.path('f.bin')))).toEqual(bytes);
  await close();
});

test('edits of one file that come at once are all kept', async () => {
  const count = 20;
  const lines = Array.from({ length: count }, (_, index) => `line-${index}-end`);
  tree.add({ 'f.txt': lines.join('\n') });
  const { text, close } = await connectTools({ workspace });
  await Promise.all(
    lines.map((line, index) =>
      text('edit_file', {
        path: index % 2 === 0 ? 'f.txt' : tree.path('f.txt'),
        edits: [edit(line, `new-${index}-end`)],
      }),
    ),
  );
  expect(readFileSync(tree.path('f.txt'), 'utf8').split('\n')).toEqual(
    lines.map((_, index) => `new-${index}-end`),
  );
  await close();
});

test('a fence in the file does not end the diff', async () => {
  tree.add({ 'f.md': '```js\na\n```\n' });
  const { text, close } = await connectTools({ workspace });
  const diff = await text('edit_file', { path: 'f.md', edits: [edit('a', 'b')] });
  expect(diff.startsWith('````diff\n')).toBe(true);
  expect(diff.endsWith('````\n\n')).toBe(true);
  await close();
});

test('edit_file and write_file of one file do not undo each other', async () => {
  const { call, close } = await connectTools({ workspace });
  for (let round = 0; round < 5; round++) {
    tree.add({ 'both.txt': 'one\ntwo\n' });
    const [edited] = await Promise.all([
      call('edit_file', { path: 'both.txt', edits: [edit('two', '2')] }),
      call('write_file', { path: 'both.txt', content: 'new\n' }),
    ]);
    expect(readFileSync(tree.path('both.txt'), 'utf8')).toBe('new\n');
    expect(edited.isError).toBeUndefined();
  }
  await close();
});

test('edit_file says of a dry run that nothing was changed, also where the diff is too large', async () => {
  tree.add({ 'wide.txt': `${'x'.repeat(9_000_000)}\nend\n` });
  const { text, close } = await connectTools({ workspace });
  const args = { path: 'wide.txt', edits: [edit('x\nend', 'end')] };
  expect(await text('edit_file', { ...args, dryRun: true })).toMatch(/^Nothing was changed;/);
  expect(await text('edit_file', args)).toMatch(/^Edited wide.txt;/);
  await close();
});
