import { existsSync, lstatSync, readFileSync, symlinkSync } from 'node:fs';
import { Scope, type Snapshot } from '@rootward/core';
import { expect, test } from 'vitest';
import { ChangeQueue } from '../../../src/tools/framework/change-queue.js';
import { makeTree } from '../../fixtures/temp-tree.js';
import { connectTools, ERAS, reportOf } from '../../fixtures/tools-client.js';
import { eventually } from '../../../../../testing/eventually.js';

const tree = makeTree({ 'out/secret.txt': 'secret', 'in/.rootward.json': '{}' });
const workspace = { environment: {}, home: '/nonexistent', roots: [tree.path('in')] };

test.each(ERAS)('files are written, copied, moved and deleted (%s)', async (era) => {
  const { text, close } = await connectTools({ era, workspace });
  const a = tree.path('in/dir/deep/a.txt');
  expect(await text('create_directory', { path: 'dir/deep' })).toBe(
    'Successfully created directory dir/deep',
  );
  expect(await text('create_directory', { path: 'dir/deep' })).toBe(
    'Successfully created directory dir/deep',
  );
  expect(await text('write_file', { path: a, content: 'one' })).toBe(`Successfully wrote to ${a}`);
  expect(await text('write_file', { path: a, content: 'two' })).toBe(`Successfully wrote to ${a}`);
  expect(await text('copy_file', { source: a, destination: 'b.txt' })).toBe(
    `Successfully copied ${a} to b.txt`,
  );
  expect(await text('move_file', { source: 'b.txt', destination: 'c.txt' })).toBe(
    'Successfully moved b.txt to c.txt',
  );
  expect(readFileSync(tree.path('in/c.txt'), 'utf8')).toBe('two');
  expect(existsSync(tree.path('in/b.txt'))).toBe(false);
  await text('delete_file', { path: 'c.txt' });
  await text('delete_file', { path: 'dir', recursive: true });
  expect(existsSync(tree.path('in/c.txt')) || existsSync(tree.path('in/dir'))).toBe(false);
  await close();
});

test.each(ERAS)(
  'what is there is not overwritten, and a full directory not deleted, by mistake (%s)',
  async (era) => {
    tree.add({ 'in/x.txt': 'x', 'in/y.txt': 'y', 'in/full/z.txt': 'z' });
    const { call, close } = await connectTools({ era, workspace });
    const type = async (name: string, args: Record<string, unknown>): Promise<unknown> =>
      reportOf(await call(name, args))['error_type'];
    expect(await type('move_file', { source: 'x.txt', destination: 'y.txt' })).toBe('already_exists');
    expect(await type('copy_file', { source: 'x.txt', destination: 'y.txt' })).toBe('already_exists');
    expect(await type('delete_file', { path: 'full' })).toBe('not_empty');
    expect(readFileSync(tree.path('in/y.txt'), 'utf8')).toBe('y');
    await close();
  },
);

test('who forgot the directory of a new file is told to create it', async () => {
  tree.add({ 'in/x.txt': 'x' });
  const { call, close } = await connectTools({ workspace });
  const destination = 'missing/y.txt';
  for (const [name, args, target] of [
    ['write_file', { path: destination, content: 'y' }, true],
    ['copy_file', { source: 'x.txt', destination }, true],
    ['move_file', { source: 'x.txt', destination }, true],
    ['move_file', { source: 'missing.txt', destination: 'y.txt' }, false],
  ] as const) {
    const { error_type: type, instruction } = reportOf(await call(name, args));
    expect([type, String(instruction).startsWith('Create the folder')]).toEqual(['not_found', target]);
  }
  await close();
});

test('delete_file removes a link, never what it leads to', async () => {
  symlinkSync(tree.path('out'), tree.path('in/link'));
  const { text, close } = await connectTools({ workspace });
  await text('delete_file', { path: 'link', recursive: true });
  expect(lstatSync(tree.path('in/link'), { throwIfNoEntry: false })).toBeUndefined();
  expect(readFileSync(tree.path('out/secret.txt'), 'utf8')).toBe('secret');
  await close();
});

test.each(ERAS)('no tool changes, renames or removes a workspace rules file (%s)', async (era) => {
  tree.add({ 'in/plain.txt': '{}' });
  const { call, close } = await connectTools({ era, workspace });
  const path = '.rootward.json';
  for (const [name, args] of [
    ['write_file', { path, content: 'x' }],
    ['edit_file', { path, edits: [{ oldText: '{}', newText: 'x' }] }],
    ['move_file', { source: path, destination: 'away.json' }],
    ['move_file', { source: 'plain.txt', destination: path }],
    ['copy_file', { source: 'plain.txt', destination: path }],
    ['delete_file', { path }],
    ['delete_file', { path: tree.path('in'), recursive: true }],
  ] as const) {
    expect([name, (await call(name, args)).isError]).toEqual([name, true]);
  }
  expect(readFileSync(tree.path('in/.rootward.json'), 'utf8')).toBe('{}');
  await close();
});

test.each(ERAS)('no file tool reaches beyond the roots, by any spelling (%s)', async (era) => {
  tree.add({ 'in/x.txt': 'x' });
  const { call, close } = await connectTools({ era, workspace });
  const link = tree.path('in', `escape-${era}`);
  symlinkSync(tree.path('out'), link);
  for (const outside of [
    tree.path('out/secret.txt'),
    '../out/secret.txt',
    `${link}/secret.txt`,
    tree.uri('out/secret.txt'),
  ]) {
    for (const [name, args] of [
      ['read_text_file', { path: outside }],
      ['read_media_file', { path: outside }],
      ['write_file', { path: outside, content: 'x' }],
      ['edit_file', { path: outside, edits: [{ oldText: 'secret', newText: 'x' }] }],
      ['get_file_info', { path: outside }],
      ['create_directory', { path: `${outside}-dir` }],
      ['move_file', { source: outside, destination: 'y.txt' }],
      ['move_file', { source: 'x.txt', destination: outside }],
      ['copy_file', { source: outside, destination: 'y.txt' }],
      ['delete_file', { path: outside }],
      ['search_content', { path: outside, pattern: 'secret' }],
      ['list_directory', { path: tree.path('out') }],
      ['directory_tree', { path: link }],
      ['search_files', { path: link, pattern: '**' }],
    ] as const) {
      const result = await call(name, args);
      expect([name, outside, result.isError]).toEqual([name, outside, true]);
      expect(JSON.stringify(result.content)).not.toMatch(/secret[^.]/);
    }
  }
  expect(readFileSync(tree.path('out/secret.txt'), 'utf8')).toBe('secret');
  await close();
});

test('a path out of scope, also above all roots, holds up no change', async () => {
  const changes = new ChangeQueue();
  const { call, close } = await connectTools({ workspace, tools: { changes } });
  let release!: () => void;
  const held = changes.run([tree.path('in/held.txt')], () => new Promise<void>((done) => (release = done)));
  const refused = await Promise.all([
    call('delete_file', { path: tree.top, recursive: true }),
    call('write_file', { path: 'free.txt', content: '' }),
  ]);
  expect(refused.map(({ isError }) => isError)).toEqual([true, undefined]);
  release();
  await held;
  await close();
});

test('what moves or deletes a file waits for an edit of it that came first', async () => {
  const edits = [{ oldText: 'one', newText: 'two' }];
  const { call, close } = await connectTools({ workspace });
  const afterEdit = async (path: string, name: string, args: Record<string, unknown>): Promise<void> => {
    tree.add({ [`in/${path}`]: 'one' });
    const results = await Promise.all([call('edit_file', { path, edits }), call(name, args)]);
    expect(results.map(({ isError }) => isError)).toEqual([undefined, undefined]);
    expect(existsSync(tree.path('in', path))).toBe(false);
  };
  await afterEdit('busy.txt', 'delete_file', { path: 'busy.txt' });
  await afterEdit('busy/a.txt', 'delete_file', { path: 'busy', recursive: true });
  await afterEdit('busy.txt', 'move_file', { source: 'busy.txt', destination: 'idle.txt' });
  expect(readFileSync(tree.path('in/idle.txt'), 'utf8')).toBe('two');
  await afterEdit('busy/a.txt', 'move_file', { source: 'busy', destination: 'idle' });
  expect(readFileSync(tree.path('in/idle/a.txt'), 'utf8')).toBe('two');
  await close();
});

test('a call that was cancelled is in the audit trail, since a part of it may have been done', async () => {
  const files = Array.from({ length: 1000 }, (_, index) => [`in/cancel/d${index % 50}/f${index}`, '']);
  tree.add(Object.fromEntries(files) as Record<string, string>);
  const stop = new AbortController();
  const createScope = ({ roots }: Snapshot): Scope => {
    stop.abort();
    return new Scope({ roots });
  };
  const { client, audit, close } = await connectTools({ workspace: { ...workspace, createScope } });
  const args = { path: 'cancel', recursive: true };
  const call = client.callTool({ name: 'delete_file', arguments: args }, { signal: stop.signal });
  await expect(call).rejects.toThrow('aborted');
  await eventually(() => expect(audit).not.toEqual([]));
  expect(audit).toEqual([{ tool: 'delete_file', path: 'cancel', decision: 'allowed', reason: 'cancelled' }]);
  await close();
});
