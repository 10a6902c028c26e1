import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { WorkspaceChange } from '../../src/workspace/changes/change.js';
import { connect, connectAsked, makeTree, paths, record } from './scripted-client.js';

describe('forRequest()', () => {
  test('gives a call its own roots and leaves the workspace and its followers untouched', async () => {
    const tree = makeTree('call', 'pwd');
    writeFileSync(tree('call/file.txt'), 'hello');
    const { workspace } = await connect({ environment: { PWD: tree('pwd') } });
    workspace.clientDeclared({ roots: false });
    const changes = record(workspace);
    const followed: WorkspaceChange[] = [];
    workspace.follow({ name: 'watcher', apply: (change) => void followed.push(change) });
    const before = workspace.snapshot();

    const meta = { 'codex/sandbox-state-meta': { sandboxCwd: pathToFileURL(tree('call')).href } };
    const view = await workspace.forRequest(meta);
    expect(view.snapshot().roots).toMatchObject([{ path: tree('call'), source: 'request' }]);
    expect(view.directory()).toBe(tree('call'));
    expect(view.project().name).toBe('call');
    expect(view.explain()).toContain(tree('call'));
    expect((await view.scope().readText('file.txt')).text).toBe('hello');

    await workspace.followed();
    expect(workspace.snapshot()).toBe(before);
    expect(workspace.project().name).toBe('pwd');
    expect(workspace.scope().contains(tree('call'))).toBe(false);
    expect(changes).toEqual([]);
    expect(followed.map(({ reason }) => reason)).toEqual(['start']);
  });

  test('two calls at once see their own roots', async () => {
    const tree = makeTree('one', 'two');
    const { workspace } = await connect();
    workspace.clientDeclared({ roots: false });
    const views = await Promise.all(
      ['one', 'two'].map((name) => workspace.forRequest({ 'agent-working-dir': tree(name) })),
    );
    expect(views.map((view) => view.directory())).toEqual([tree('one'), tree('two')]);
  });

  test('is one view for all calls of a snapshot, and stays at it when the roots change', async () => {
    const tree = makeTree('a', 'b');
    const { workspace, client, clock } = await connectAsked();
    await client.answer([tree('a')]);
    const view = await workspace.forRequest({ progressToken: 3 });
    expect(await workspace.forRequest(undefined)).toBe(view);
    await clock.advanceAndSettle(1_000);
    workspace.rootsChanged();
    await client.answer([tree('b')]);
    expect(workspace.directory()).toBe(tree('b'));
    expect(view.directory()).toBe(tree('a'));
    expect(view.scope().contains(tree('a'))).toBe(true);
    expect(view.scope().contains(tree('b'))).toBe(false);
    expect(view.project().name).toBe('a');
    expect((await workspace.forRequest(undefined)).directory()).toBe(tree('b'));
  });

  test('keeps what the user agreed to, behind the directory of the call', async () => {
    const tree = makeTree('call', 'extra');
    const { workspace } = await connect();
    workspace.clientDeclared({ roots: false });
    await workspace.grant(tree('extra'));
    const view = await workspace.forRequest({ 'agent-working-dir': tree('call') });
    expect(paths(view.snapshot().roots)).toEqual([tree('call'), tree('extra')]);
  });

  test('is about the directory of the call, also where a part of it was made read-only', async () => {
    const tree = makeTree('call/archive');
    const roots = [{ path: tree('call/archive'), access: 'read-only' }];
    const { workspace } = await connect({ config: [{ file: tree('rootward.json'), roots }] });
    workspace.clientDeclared({ roots: false });
    expect(workspace.project().name).toBe('archive');
    const view = await workspace.forRequest({ 'agent-working-dir': tree('call') });
    expect(paths(view.snapshot().roots)).toEqual([tree('call'), tree('call/archive')]);
    expect(view.project().name).toBe('call');
  });

  test('does not even read metadata where client roots are ignored', async () => {
    const tree = makeTree('call');
    const { workspace } = await connect({ clientRoots: 'ignore' });
    const view = await workspace.forRequest({ 'agent-working-dir': tree('call') });
    expect(view.snapshot()).toBe(workspace.snapshot());
  });

  test('waits for the client, whose roots outrank metadata', async () => {
    const tree = makeTree('client', 'call');
    const { workspace, client } = await connectAsked();
    const viewing = workspace.forRequest({ 'agent-working-dir': tree('call') });
    await client.answer([tree('client')]);
    const view = await viewing;
    expect(view.directory()).toBe(tree('client'));
    expect(view.snapshot().trace.find(({ source }) => source === 'request')?.verdict).toBe('not-needed');
  });
});
