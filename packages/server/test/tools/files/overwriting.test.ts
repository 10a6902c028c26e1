import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { History } from '@rootward/core/history';
import { expect, test } from 'vitest';
import { SeenFiles } from '../../../src/edit/seen-files.js';
import { afterThisTest } from '../../../../../testing/clean-up.js';
import { makeTree } from '../../fixtures/temp-tree.js';
import { connectTools, ERAS, reportOf, type ToolsClientOptions } from '../../fixtures/tools-client.js';

/** A client, and a file that somebody else changes. */
async function connect(more: ToolsClientOptions = {}) {
  const tree = makeTree({ 'p/a.txt': 'one\ntwo\nthree\n', 'p/b.txt': 'b' });
  const history = new History({ directory: tree.path('history') });
  const workspace = { environment: {}, home: '/nonexistent', roots: [tree.path('p')] };
  const client = await connectTools({ ...more, workspace: { ...workspace, history: () => history } });
  afterThisTest(async () => {
    await client.close();
    history.dispose();
  });
  const path = tree.path('p', 'a.txt');
  return {
    ...client,
    tree,
    theirs: (content: string | Uint8Array) => writeFileSync(path, content),
    now: () => readFileSync(path, 'utf8'),
    write: (content: string, args = {}) => client.call('write_file', { path: 'a.txt', content, ...args }),
  };
}

test.each(ERAS)('write_file refuses once to replace what the session has not seen (%s)', async (era) => {
  const { text, theirs, now, write } = await connect({ era });
  await text('read_text_file', { path: 'a.txt' });
  theirs('one\nTWO\nthree\n');
  const report = reportOf(await write('one\ntwo\n3\n'));
  expect(report).toMatchObject({
    error_type: 'changed_meanwhile',
    message: expect.stringMatching(/^Cannot write "a\.txt": something else changed it since /),
    instruction: expect.stringMatching(/^Call write_file again/),
  });
  expect(report['message']).toContain('\n one\n-TWO\n-three\n+two\n+3\n');
  expect(now()).toBe('one\nTWO\nthree\n');
  // It was shown what is there, but not what comes after.
  theirs('four\n');
  expect(reportOf(await write('one\ntwo\n3\n'))['message']).toContain('-four\n');
  expect((await write('one\ntwo\n3\n')).isError).toBeUndefined();
  expect(now()).toBe('one\ntwo\n3\n');
  theirs('five\n');
  expect((await write('six\n')).isError).toBe(true);
});

test('write_file replaces what the session never saw, and what is as it saw it', async () => {
  const { text, theirs, now, write, tree } = await connect();
  theirs('changed before anybody looked');
  expect((await write('first')).isError).toBeUndefined();
  expect((await write('second')).isError).toBeUndefined();
  await text('read_text_file', { path: 'a.txt', head: 1 });
  expect((await write('third')).isError).toBeUndefined();
  theirs('third');
  utimesSync(tree.path('p', 'a.txt'), 1, 1);
  expect((await write('fourth')).isError).toBeUndefined();
  theirs('other');
  expect((await write('fifth', { overwrite: true })).isError).toBeUndefined();
  expect(now()).toBe('fifth');
});

test.each([
  ['read_text_file', { path: 'a.txt', offset: 1, limit: 1 }],
  ['read_text_file', { path: 'a.txt', tail: 1 }],
  ['read_file', { path: 'a.txt' }],
  ['read_multiple_files', { paths: ['b.txt', 'a.txt'] }],
  ['read_media_file', { path: 'a.txt' }],
  ['write_file', { path: 'a.txt', content: 'mine' }],
  ['edit_file', { path: 'a.txt', edits: [{ oldText: 'one', newText: 'mine' }] }],
  ['move_file', { source: 'b.txt', destination: 'a.txt' }],
  ['copy_file', { source: 'b.txt', destination: 'a.txt' }],
])('%s with %j shows the session the file', async (name, args) => {
  for (const isChanged of [false, true]) {
    const { call, theirs, write, tree } = await connect();
    await call('read_text_file', { path: 'b.txt' });
    if ('destination' in args) rmSync(tree.path('p', 'a.txt'));
    expect((await call(name, args)).isError).toBeUndefined();
    if (isChanged) theirs('something else');
    expect((await write('mine')).isError === true).toBe(isChanged);
  }
});

test('write_file after an undo of the session, and after somebody else removed the file', async () => {
  const { data, theirs, now, write, tree } = await connect();
  const { structuredContent } = await write('mine');
  await data('undo_changes', { id: (structuredContent as { readonly changeId: string }).changeId });
  theirs('something else');
  expect((await write('mine')).isError).toBe(true);
  rmSync(tree.path('p', 'a.txt'));
  expect((await write('mine')).isError).toBeUndefined();
  expect(now()).toBe('mine');
});

test('a difference that is not shown whole does not count as seen', async () => {
  const { text, theirs, now, write } = await connect();
  await text('read_text_file', { path: 'a.txt' });
  theirs(Array.from({ length: 2000 }, (_, index) => `line ${index}\n`).join(''));
  for (const _ of [1, 2]) {
    const report = reportOf(await write('mine'));
    expect(report['message']).toContain('[the rest of the difference is left out]');
    expect(report['instruction']).toMatch(/^Call read_text_file .* overwrite: true/);
  }
  await text('read_text_file', { path: 'a.txt' });
  expect((await write('mine')).isError).toBeUndefined();
  theirs(new Uint8Array([0xff, 0xfe]));
  expect(reportOf(await write('yours'))['instruction']).toContain('overwrite: true');
  await write('yours', { overwrite: true });
  expect(now()).toBe('yours');
});

test('overwriteChanged lets write_file replace everything', async () => {
  const { text, theirs, now, write } = await connect({ tools: { overwriteChanged: true } });
  await text('read_text_file', { path: 'a.txt' });
  theirs('something else');
  expect((await write('mine')).isError).toBeUndefined();
  expect(now()).toBe('mine');
});

test('what a session saw is bounded', () => {
  const seen = new SeenFiles();
  for (let index = 0; index < 5000; index++) seen.note(`version ${join('/p', String(index))}`);
  expect(seen.size).toBe(2000);
  expect(seen.versionOf('/p/4999')).toBe('version /p/4999');
  expect(seen.versionOf('/p/0')).toBeUndefined();
});
