import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { History } from '@rootward/core/history';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readTime } from '../../../src/history/read-time.js';
import { makeTree } from '../../fixtures/temp-tree.js';
import { connectTools, ERAS, reportOf, type ToolsClientOptions } from '../../fixtures/tools-client.js';

const FILES = { 'p/a.txt': 'first', 'p/b.txt': 'b', 'p/sub/c.txt': 'c' };

function changeOf({ structuredContent }: CallToolResult): unknown {
  return (structuredContent as { changeId?: string } | undefined)?.changeId;
}

/** A client of a server that keeps a history. */
async function connect(
  more: ToolsClientOptions = {},
  files: Record<string, string> = FILES,
  maxFileBytes = 1_000_000,
) {
  const tree = makeTree(files);
  const state = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-tools-history-')));
  const history = new History({ directory: join(state, 'rootward', 'history'), limits: { maxFileBytes } });
  const client = await connectTools({
    ...more,
    workspace: {
      environment: {},
      home: '/nonexistent',
      roots: [tree.path('p')],
      history: () => history,
      ...more.workspace,
    },
  });
  onTestFinished(async () => {
    await client.close();
    history.dispose();
    rmSync(state, { recursive: true, force: true });
  });
  const text = (name: string): string => readFileSync(tree.path(name), 'utf8');
  return { ...client, tree, history, read: text };
}

test('change_history does not ask for a higher limit than it takes', async () => {
  const { call } = await connect();
  const texts = async (limit: number): Promise<string> => {
    const { content } = await call('change_history', { limit });
    return JSON.stringify(content);
  };
  for (let index = 0; index <= 200; index++) await call('write_file', { path: 'a.txt', content: `${index}` });
  expect(await texts(199)).toContain('pass a higher limit');
  expect(await texts(200)).toContain('pass path or since');
});

describe.each(ERAS)('on the %s era', (era) => {
  test('every tool that changes files says under which id, beside its text', async () => {
    const { call, tree } = await connect({ era });
    const written = await call('write_file', { path: 'a.txt', content: 'second' });
    expect(written.structuredContent).toEqual({
      changed: true,
      content: 'Successfully wrote to a.txt',
      changeId: expect.stringMatching(/^[0-9a-z]+-[0-9a-f]{6}$/),
    });
    for (const [name, args] of [
      ['edit_file', { path: 'a.txt', edits: [{ oldText: 'second', newText: 'third' }] }],
      ['copy_file', { source: 'a.txt', destination: 'd.txt' }],
      ['move_file', { source: 'd.txt', destination: 'e.txt' }],
      ['create_directory', { path: 'x/y' }],
      ['delete_file', { path: 'e.txt' }],
    ] as const) {
      expect((await call(name, args)).structuredContent).toMatchObject({ changeId: expect.any(String) });
    }
    for (const [name, args] of [
      ['create_directory', { path: 'x/y' }],
      ['edit_file', { path: 'a.txt', edits: [{ oldText: 'third', newText: 'x' }], dryRun: true }],
      ['read_text_file', { path: tree.path('p/a.txt') }],
    ] as const) {
      expect((await call(name, args)).structuredContent).toBeUndefined();
    }
  });

  test.each([{}, { id: 'a', since: '1h' }, { since: 'soon' }])(
    'undo_changes tells the model how to correct %j',
    async (args) => {
      const { call } = await connect({ era });
      expect(reportOf(await call('undo_changes', args))).toMatchObject({
        error_type: 'invalid_option',
        instruction: expect.stringMatching(/^Pass /),
      });
    },
  );

  test('undo_changes takes back a change by its id, and its own by theirs', async () => {
    const { data, call, read } = await connect({ era });
    const changeId = changeOf(await call('write_file', { path: 'a.txt', content: 'second' }));
    expect(await data('undo_changes', { id: changeId, dryRun: true })).toMatchObject({ applied: false });
    expect(read('p/a.txt')).toBe('second');
    const undone = await data('undo_changes', { id: changeId });
    expect(undone).toMatchObject({ applied: true, changes: [changeId] });
    expect(read('p/a.txt')).toBe('first');
    await data('undo_changes', { id: undone['changeId'] });
    expect(read('p/a.txt')).toBe('second');
  });

  test('undo_changes takes back all since a time, below a path', async () => {
    const { data, text, read } = await connect({ era });
    await text('write_file', { path: 'a.txt', content: 'second' });
    await text('delete_file', { path: 'sub', recursive: true });
    await data('undo_changes', { since: '1h', path: 'sub' });
    expect([read('p/a.txt'), read('p/sub/c.txt')]).toEqual(['second', 'c']);
    await data('undo_changes', { since: '1h' });
    expect(read('p/a.txt')).toBe('first');
  });

  test('change_history lists newest first, and says what was undone', async () => {
    const { data, call, text } = await connect({ era });
    const changeId = changeOf(await call('write_file', { path: 'a.txt', content: 'second' }));
    await data('undo_changes', { id: changeId });
    await text('delete_file', { path: 'b.txt' });
    expect(await data('change_history')).toMatchObject({
      changes: [
        { tool: 'delete_file', client: 'test', files: [{ action: 'removed' }] },
        { tool: 'undo_changes', undoes: [changeId] },
        { id: changeId, tool: 'write_file', undoneBy: expect.any(String), files: [{ action: 'changed' }] },
      ],
      more: false,
    });
    expect((await data('change_history', { path: 'b.txt' }))['changes']).toHaveLength(1);
    expect(await data('change_history', { limit: 1 })).toMatchObject({ more: true });
  });

  test('a file changed by someone else is named, and nothing is touched', async () => {
    const { call, tree, read } = await connect({ era });
    const changeId = changeOf(await call('write_file', { path: 'a.txt', content: 'second' }));
    writeFileSync(tree.path('p/a.txt'), 'mine');
    const report = reportOf(await call('undo_changes', { id: changeId }));
    expect(report).toMatchObject({
      error_type: 'changed_since',
      message: expect.stringContaining(tree.path('p/a.txt')),
    });
    expect(read('p/a.txt')).toBe('mine');
  });
});

test('an undo cannot reach a folder that is no longer a root, nor is it listed', async () => {
  const tree = makeTree({ 'one/a.txt': 'a', 'two/b.txt': 'b' });
  const both = [tree.uri('one'), tree.uri('two')];
  const { call, data, setRoots } = await connect({ roots: both, workspace: { roots: [] } });
  const changeId = changeOf(await call('write_file', { path: tree.path('two/b.txt'), content: 'B' }));
  await setRoots([tree.uri('one')]);
  expect((await data('change_history'))['changes']).toEqual([]);
  expect(reportOf(await call('undo_changes', { id: changeId }))['error_type']).toBe('unknown_change');
  expect(readFileSync(tree.path('two/b.txt'), 'utf8')).toBe('B');
  await setRoots(both);
  await data('undo_changes', { id: changeId });
  expect(readFileSync(tree.path('two/b.txt'), 'utf8')).toBe('b');
});

test('undo_changes since a time leaves the changes of other sessions alone', async () => {
  const { history, tree, data, text, read } = await connect();
  const other = await connectTools({
    workspace: { environment: {}, home: '/nonexistent', roots: [tree.path('p')], history: () => history },
  });
  await text('write_file', { path: 'a.txt', content: 'mine' });
  await other.text('write_file', { path: 'b.txt', content: 'theirs' });
  await data('undo_changes', { since: '1h' });
  expect([read('p/a.txt'), read('p/b.txt')]).toEqual(['first', 'theirs']);
  await other.close();
});

test('undo_changes since a time says that the changes belong to another session, and which they are', async () => {
  const { history, tree, call, read } = await connect();
  const changeId = String(changeOf(await call('write_file', { path: 'a.txt', content: 'mine' })));
  const other = await connectTools({
    workspace: { environment: {}, home: '/nonexistent', roots: [tree.path('p')], history: () => history },
  });
  const report = reportOf(await other.call('undo_changes', { since: '1h' }));
  expect(report['message']).toContain(`the changes ${changeId} belong to other sessions`);
  expect(report['instruction']).toContain('undo_changes with the id');
  await other.text('undo_changes', { id: changeId });
  expect(read('p/a.txt')).toBe('first');
  expect(await other.text('undo_changes', { since: '1h', path: 'sub' })).toBe('Nothing to undo');
  await other.close();
});

test('undo_changes names the newer changes that must be undone first', async () => {
  const { tree, call, text } = await connect();
  const write = async (content: string): Promise<string> =>
    String(changeOf(await call('write_file', { path: 'a.txt', content })));
  const [first, second, third] = [await write('second'), await write('third'), await write('fourth')];
  await text('write_file', { path: 'b.txt', content: 'of no importance' });
  const refused = reportOf(await call('undo_changes', { id: first }));
  expect(refused['instruction']).toContain(`first, in this order: ${third}, ${second};`);
  await text('undo_changes', { id: third });
  await text('undo_changes', { id: second });
  writeFileSync(tree.path('p/a.txt'), 'by hand');
  expect(reportOf(await call('undo_changes', { id: first }))['instruction']).toMatch(
    /^Something other than these/,
  );
});

test('undo_changes says not-kept of a change that is listed as not kept', async () => {
  const { call, tree, read } = await connect({}, { 'p/a.txt': 'x'.repeat(20), 'p/sub/c.txt': 'x' }, 10);
  for (const content of ['y'.repeat(20), 'other']) {
    const changeId = changeOf(await call('write_file', { path: 'a.txt', content, overwrite: true }));
    expect((await call('change_history')).content).toMatchObject([
      { text: expect.stringContaining(`${tree.path('p/a.txt')} (not kept)`) },
    ]);
    expect(reportOf(await call('undo_changes', { id: changeId }))['error_type']).toBe('not_kept');
    expect(read('p/a.txt')).toBe(content);
    writeFileSync(tree.path('p/a.txt'), 'z'.repeat(20));
  }
});

test.each([
  [{}, 'expected either id or since'],
  [{ id: 'x', since: '1h' }, 'expected either id or since'],
  [{ since: 'yesterday' }, 'expected a time such as 10m'],
  [{ id: 'none' }, 'there is no such change'],
])('undo_changes refuses %j', async (args, message) => {
  const { call } = await connect();
  expect(reportOf(await call('undo_changes', args))['message']).toContain(message);
});

test('readTime() reads how long ago, and dates', () => {
  const now = Date.parse('2026-11-16T08:00:00Z');
  expect(['90s', '10m', '2h', '1d', '1.5h'].map((text) => now - readTime(text, now)!)).toEqual([
    90_000, 600_000, 7_200_000, 86_400_000, 5_400_000,
  ]);
  expect(readTime('2026-11-16T07:00:00Z', now)).toBe(now - 3_600_000);
  expect(['', '10', 'x', '10y', '2026'].map((text) => readTime(text, now))).toEqual(Array(5).fill(undefined));
});
