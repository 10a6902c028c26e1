import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { LogFields } from '../../src/logger.js';
import { readRoots } from '../../src/roots/read-roots.js';
import type { WorkspaceChange } from '../../src/workspace/change.js';
import { createWorkspace } from '../../src/workspace/create-workspace.js';
import { Workspace } from '../../src/workspace/workspace.js';
import { readFrom } from '../sources/read-from.js';
import { FakeClock } from '../../../../testing/fake-clock.js';
import { ScriptedClient, connect, connectAsked, makeTree, pathsOf, promptDisk } from './scripted-client.js';

function record(workspace: Workspace): WorkspaceChange[] {
  const changes: WorkspaceChange[] = [];
  workspace.onDidChange((change) => changes.push(change));
  return changes;
}

const paths = (roots: readonly { readonly path: string }[]): readonly string[] =>
  roots.map((root) => root.path);

describe('snapshot()', () => {
  test('is frozen, and JSON shows all of it', async () => {
    const tree = makeTree('a');
    const { workspace, client, clock } = await connectAsked();
    await client.answer([tree('a'), tree('missing')]);
    const snapshot = workspace.snapshot();
    expect([snapshot, snapshot.roots, snapshot.roots[0], snapshot.trace].every(Object.isFrozen)).toBe(true);
    const shown: object = JSON.parse(JSON.stringify(snapshot));
    expect(Object.keys(shown).toSorted()).toEqual([
      'client',
      'epoch',
      'rejected',
      'roots',
      'takenAt',
      'trace',
    ]);
    expect(shown).toMatchObject({
      client: 'answered',
      takenAt: clock.now(),
      rejected: [{ reason: 'not-found' }],
    });
  });

  test('its epoch grows by one on every change of the roots, and on nothing else', async () => {
    const tree = makeTree('a', 'b');
    const { workspace, client, clock } = await connectAsked();
    const epochs = [workspace.snapshot().epoch];
    for (const list of [[tree('a')], [tree('a')], [tree('a'), tree('b')], [tree('b'), tree('a')], []]) {
      await client.answer(list);
      epochs.push(workspace.snapshot().epoch);
      await clock.advanceAndSettle(1_000);
      workspace.rootsChanged();
    }
    expect(epochs).toEqual([0, 1, 1, 2, 3, 4]);
  });

  test('directory() is the first directory root', async () => {
    const tree = makeTree('b', 'c');
    writeFileSync(tree('file'), '');
    const { workspace, client } = await connectAsked();
    expect(workspace.directory()).toBeUndefined();
    await client.answer([tree('file'), tree('b'), tree('c')]);
    expect(workspace.directory()).toBe(tree('b'));
  });

  test('scope() is made once per snapshot, by the given factory', async () => {
    const tree = makeTree('a');
    const { workspace, client } = await connectAsked();
    await client.answer([tree('a')]);
    const scope = workspace.scope();
    expect(workspace.scope()).toBe(scope);
    expect(scope.roots).toBe(workspace.snapshot().roots);
  });

  test('a cached ready() gives the same promise for the same snapshot', async () => {
    const tree = makeTree('a');
    const { workspace, client } = await connectAsked();
    await client.answer([tree('a')]);
    expect(workspace.ready()).toBe(workspace.ready());
    expect(await workspace.ready()).toBe(workspace.snapshot());
  });
});

test('a cached ready() never gives roots that were taken away meanwhile', async () => {
  const tree = makeTree('a', 'b');
  const { workspace, client } = await connectAsked();
  await client.answer([tree('a')]);
  expect(paths((await workspace.ready()).roots)).toEqual([tree('a')]);
  workspace.rootsChanged();
  await client.answer([tree('b')]);
  expect(paths((await workspace.ready()).roots)).toEqual([tree('b')]);
  expect(workspace.stats().cache.hits).toBe(2);
});

test('a cached ready() rejects when its signal is aborted', async () => {
  const { workspace, client } = await connectAsked();
  await client.answer([]);
  await expect(workspace.ready({ signal: AbortSignal.abort() })).rejects.toMatchObject({
    name: 'AbortError',
  });
});

describe('onDidChange', () => {
  test('carries exact added and removed lists, in order', async () => {
    const tree = makeTree('a', 'b', 'c', 'd');
    const { workspace, client, clock } = await connectAsked();
    const changes = record(workspace);
    await client.answer([tree('a'), tree('b'), tree('c')]);
    await clock.advanceAndSettle(1_000);
    workspace.rootsChanged();
    await client.answer([tree('d'), tree('b')]);
    expect(changes.map(({ added, removed }) => [paths(added), paths(removed)])).toEqual([
      [[tree('a'), tree('b'), tree('c')], []],
      [[tree('d')], [tree('a'), tree('c')]],
    ]);
    expect(changes.map(({ reason, snapshot }) => [reason, snapshot.epoch])).toEqual([
      ['answer', 1],
      ['answer', 2],
    ]);
  });

  test('never comes for an unchanged list', async () => {
    const tree = makeTree('a', 'b');
    const { workspace, client, clock } = await connectAsked();
    await client.answer([tree('a'), tree('b')]);
    const changes = record(workspace);
    await clock.advanceAndSettle(1_000);
    workspace.rootsChanged();
    await client.answer([`${tree('a')}/`, tree('b'), tree('a')]);
    expect(changes).toEqual([]);
  });

  test('says that the same roots in another order are a change of the primary root only', async () => {
    const tree = makeTree('a', 'b');
    const { workspace, client, clock } = await connectAsked();
    await client.answer([tree('a'), tree('b')]);
    const changes = record(workspace);
    await clock.advanceAndSettle(1_000);
    workspace.rootsChanged();
    await client.answer([tree('b'), tree('a')]);
    expect(changes).toMatchObject([{ added: [], removed: [], primaryChanged: true }]);
    expect(workspace.directory()).toBe(tree('b'));
  });

  test('a throwing listener does not stop the others', async () => {
    const tree = makeTree('a');
    const warnings: unknown[] = [];
    const log = { debug() {}, info() {}, warn: (...line: unknown[]) => warnings.push(line) };
    const { workspace, client } = await connectAsked({ log });
    workspace.onDidChange(() => {
      throw new Error(`broken listener for ${tree('a')}`);
    });
    const changes = record(workspace);
    await client.answer([tree('a')]);
    expect(changes).toHaveLength(1);
    expect(warnings).toEqual([['change listener failed']]);
  });

  test('a disposed listener hears nothing, and one added meanwhile only the next change', async () => {
    const tree = makeTree('a', 'b');
    const { workspace, client, clock } = await connectAsked();
    const heard: string[] = [];
    const first = workspace.onDidChange(() => {
      heard.push('first');
      first.dispose();
      workspace.onDidChange(() => heard.push('later'));
    });
    await client.answer([tree('a')]);
    await clock.advanceAndSettle(1_000);
    workspace.rootsChanged();
    await client.answer([tree('b')]);
    expect(heard).toEqual(['first', 'later']);
  });
});

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

describe('explain()', () => {
  test('tells a person why: a silent client, and a hint that is used', async () => {
    const tree = makeTree('b');
    const { workspace, clock } = await connect({ environment: { CLAUDE_PROJECT_DIR: tree('b') } });
    workspace.clientDeclared({ roots: true, clientInfo: { name: 'x' } });
    workspace.clientReady();
    await clock.advanceAndSettle(2_000);
    expect(workspace.explain()).toBe(
      [
        `1 root from host: ${tree('b')}`,
        "Client 'x' declared roots but did not answer within 2 s; --root not given; " +
          'ROOTWARD_ROOTS and MCPBASH_ROOTS not set; no roots in a configuration file; --project not given; ' +
          `CLAUDE_PROJECT_DIR names ${tree('b')}: used`,
      ].join('\n'),
    );
  });

  test('says what was replaced and rejected, and does not grow with the number of rejections', async () => {
    const tree = makeTree('a', 'flag');
    const { workspace, client } = await connectAsked({ roots: [tree('flag')] });
    const missing = Array.from({ length: 200 }, (_, index) => tree(`missing${index}`));
    await client.answer([tree('a'), ...missing]);
    const text = workspace.explain();
    expect(text).toContain(`--root names ${tree('flag')}: replaced by the roots of the client`);
    expect(text).toContain('(not-found)');
    expect(text.split('\n')).toHaveLength(2 + 5 + 1);
  });

  test('keeps the name of a hostile client on one line', async () => {
    const { workspace } = await connect();
    workspace.clientDeclared({ roots: false, clientInfo: { name: 'x\n1 root from flag: /' } });
    expect(workspace.explain().split('\n')).toHaveLength(2);
  });

  test.each([
    ['pending', undefined, 'has not answered yet'],
    ['refused', -32603, 'refused to list them'],
  ])('knows a client that is %s', async (state, code, text) => {
    const { workspace, client } = await connectAsked();
    if (code !== undefined) await client.error(code);
    expect(workspace.snapshot().client).toBe(state);
    expect(workspace.explain()).toContain(text);
  });

  test('speaks of revocation only where the client gave roots before', async () => {
    const tree = makeTree('a', 'pwd');
    const sources = await readFrom({ environment: { PWD: tree('pwd') } });
    using workspace = new Workspace({ sources, emptyIsFinal: true });
    await workspace.useAnswer({ result: { roots: [] } });
    expect(workspace.explain()).toContain('Client answered with no roots; ');
    expect(workspace.explain()).toContain('not used, since the client answered without a valid root');
    await workspace.useAnswer({ result: { roots: [{ uri: pathToFileURL(tree('a')).href }] } });
    await workspace.useAnswer({ result: { roots: [] } });
    expect(workspace.explain()).toContain('answered with no roots, which revokes those it gave before');
  });

  test('says that previous roots are kept', async () => {
    const tree = makeTree('a');
    const { workspace, client } = await connectAsked();
    await client.answer([tree('a')]);
    workspace.rootsChanged();
    await client.result(null);
    expect(workspace.explain()).toContain('its answer was malformed, so its previous roots are kept: used');
  });
});

describe('logs', () => {
  test('client paths never appear above debug, and every step leaves a line at debug', async () => {
    const tree = makeTree('a', 'flag');
    const lines: { level: string; text: string; fields: LogFields | undefined }[] = [];
    const at = (level: string) => (text: string, fields?: LogFields) => lines.push({ level, text, fields });
    const log = { debug: at('debug'), info: at('info'), warn: at('warn') };
    const { workspace, client, clock } = await connectAsked({ log, roots: [tree('flag')] });
    await clock.advanceAndSettle(30);
    await client.answer([tree('a')]);
    await clock.advanceAndSettle(1_000);
    workspace.rootsChanged();
    await client.error(-32603);
    await client.answer([tree('a')], 1);
    const loud = lines.filter(({ level }) => level !== 'debug');
    expect(JSON.stringify(loud)).not.toContain(tree('a'));
    expect(loud).toEqual([]);
    expect(lines.map(({ text }) => text)).toEqual([
      'client supports roots',
      'roots request sent',
      'roots answer applied',
      'roots change notification received',
      'roots request sent',
      'roots request failed',
    ]);
    expect(lines[2]?.fields).toMatchObject({ source: 'client', count: 1, milliseconds: 30 });
  });

  test('a dropped answer is told of, with the reason', async () => {
    const tree = makeTree('a');
    const dropped: (LogFields | undefined)[] = [];
    const log = {
      debug: (text: string, fields?: LogFields) => text === 'roots answer dropped' && dropped.push(fields),
      info() {},
      warn() {},
    };
    const { workspace, client, clock } = await connectAsked({ log });
    await clock.advanceAndSettle(2_000);
    workspace.rootsChanged();
    await client.answer([tree('a')], 1);
    expect(dropped).toMatchObject([{ generation: 1, newest: 2, reason: 'a newer request was sent' }]);
  });
});

describe('createWorkspace()', () => {
  test('reads the sources once and opens a workspace over them', async () => {
    const tree = makeTree('a');
    using workspace = await createWorkspace({ environment: {}, home: '/nowhere/home', roots: [tree('a')] });
    expect(pathsOf(workspace)).toEqual([tree('a')]);
  });

  test.each([
    ['clientRoots', { clientRoots: 'both' }, 'Cannot use "both" for client roots'],
    ['a limit', { limits: { readyTimeout: Number.NaN } }, 'Cannot use NaN as readyTimeout'],
    ['a limit', { limits: { freshFor: -1 } }, 'Cannot use -1 as freshFor'],
  ])('refuses a useless value for %s, quoting it', async (_, options, message) => {
    const creating = createWorkspace({ environment: {}, home: '/nowhere/home', ...(options as object) });
    await expect(creating).rejects.toMatchObject({ code: 'invalid-option' });
    await expect(creating).rejects.toThrow(message);
  });

  test('looks client roots up with the reader it was given', async () => {
    const tree = makeTree('a');
    const entries: unknown[] = [];
    using workspace = await createWorkspace({
      environment: {},
      home: '/nowhere/home',
      readClientRoots(list, options) {
        entries.push(...list);
        return readRoots(list, options);
      },
    });
    await workspace.useAnswer({ result: { roots: [{ uri: pathToFileURL(tree('a')).href }] } });
    expect(entries).toEqual([{ uri: pathToFileURL(tree('a')).href }]);
    expect(pathsOf(workspace)).toEqual([tree('a')]);
  });

  test('fails fast for a bad value, naming the path', async () => {
    await expect(
      createWorkspace({ environment: {}, home: '/nowhere/home', roots: ['/no/such/place'] }),
    ).rejects.toMatchObject({ code: 'not-found', path: '/no/such/place' });
  });
});

test('two workspaces in one process never share roots, timers, caches or events (1,000 of them, at random)', async () => {
  const tree = makeTree(...Array.from({ length: 10 }, (_, index) => `folder${index}`));
  const folders = Array.from({ length: 10 }, (_, index) => tree(`folder${index}`));
  const sources = await readFrom({ disk: promptDisk });
  let seed = 20_260_728;
  const random = (below: number): number => {
    // A linear congruential generator: the same interleaving in every run.
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  const pick = (): string[] => folders.filter(() => random(3) === 0);
  const all = Array.from({ length: 1_000 }, () => {
    const client = new ScriptedClient();
    const clock = new FakeClock();
    const workspace = new Workspace({ sources, port: client, clock });
    return { client, clock, workspace, changes: record(workspace), expected: [] as string[], events: 0 };
  });
  for (const one of all) {
    one.workspace.clientDeclared({ roots: true });
    one.workspace.clientReady();
  }
  for (let turn = 0; turn < 4_000; turn += 1) {
    const one = all[random(all.length)]!;
    const list = pick();
    if (one.client.calls.length > one.events) {
      one.events = one.client.calls.length;
      await one.client.answer(list);
      one.expected = list;
    } else {
      await one.clock.advanceAndSettle(1_000);
      one.workspace.rootsChanged();
    }
  }
  for (const { workspace, expected, changes, clock, client, events } of all) {
    expect(pathsOf(workspace)).toEqual(expected);
    expect(workspace.snapshot().epoch).toBe(changes.length);
    expect(changes.at(-1)?.snapshot.roots ?? []).toHaveLength(expected.length);
    expect(workspace.stats().answers).toBe(events);
    expect(workspace.stats().requests).toBe(client.asked);
    expect(clock.timers).toBe(client.asked > events ? 1 : 0);
    expect(workspace.scope().roots).toBe(workspace.snapshot().roots);
  }
  const [first, ...others] = all;
  const before = others.map(({ workspace }) => workspace.snapshot());
  first!.workspace.dispose();
  expect(others.every(({ workspace }, index) => workspace.snapshot() === before[index])).toBe(true);
  for (const { workspace } of others) workspace.dispose();
  expect(all.every(({ clock }) => clock.timers === 0)).toBe(true);
});

test('the sources of this package read nothing from the process itself', () => {
  for (const file of [
    'read-sources',
    'root-source',
    'flag',
    'env',
    'config',
    'project',
    'host',
    'pwd',
    'request',
  ]) {
    const text = readFileSync(new URL(`../../src/sources/${file}.ts`, import.meta.url), 'utf8');
    expect(text).not.toMatch(/process\.|homedir/);
  }
});
