import { mkdirSync, writeFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Source } from '../../src/roots/root.js';
import type { SourcesOptions } from '../../src/sources/read-sources.js';
import { Workspace } from '../../src/workspace/workspace.js';
import type { WorkspaceView } from '../../src/workspace/workspace-view.js';
import { clientNames, makeTree, openHandle } from '../workspace/scripted-client.js';
import { readFrom } from '../sources/read-from.js';

type Tree = (name: string) => string;

/** Strongest first. Each of them, when it speaks, names the folder of its own name. */
const ORDER = [
  'handle',
  'client',
  'request',
  'flag',
  'env',
  'config',
  'project',
  'host',
  'cwd',
  'ceiling',
] as const;
const GUESTS = ['handle', 'client', 'request'] as const;
const OPERATORS: readonly Source[] = ['flag', 'env', 'config', 'project'];

type Speaker = (typeof ORDER)[number];

/** Below one folder, so that a ceiling around it leaves every source what it names. */
function makeFolders(): Tree {
  return makeTree(...ORDER.filter((name) => name !== 'ceiling').map((name) => `ceiling/${name}`));
}

function folder(tree: Tree, speaker: Speaker): string {
  return tree(speaker === 'ceiling' ? 'ceiling' : `ceiling/${speaker}`);
}

/** The view of one call, when exactly these sources have something to say. */
async function hear(
  tree: Tree,
  speakers: readonly Speaker[],
  options: Partial<SourcesOptions> = {},
): Promise<WorkspaceView> {
  const says = (speaker: Speaker): boolean => speakers.includes(speaker);
  const at = (speaker: Speaker): string => folder(tree, speaker);
  const sources = await readFrom({
    ...(says('flag') && { roots: [at('flag')] }),
    ...(says('config') && { config: [{ file: tree('rootward.json'), roots: [at('config')] }] }),
    ...(says('project') && { project: at('project') }),
    ...(says('ceiling') && { within: [at('ceiling')] }),
    environment: {
      ...(says('env') && { ROOTWARD_ROOTS: at('env') }),
      ...(says('host') && { CLAUDE_PROJECT_DIR: at('host') }),
      ...(says('cwd') && { PWD: at('cwd') }),
    },
    ...options,
  });
  const workspace = says('handle')
    ? await openHandle(sources, [{ path: at('handle') }])
    : new Workspace({ sources });
  onTestFinished(() => workspace.dispose());
  workspace.clientDeclared({ roots: says('client') });
  if (says('client')) await clientNames(workspace, at('client'));
  return workspace.forRequest(says('request') ? { 'agent-working-dir': at('request') } : undefined);
}

function rootsOf(view: WorkspaceView): readonly (readonly [Source, string])[] {
  return view.snapshot().roots.map(({ source, path }) => [source, path]);
}

describe('every row of the table', () => {
  test.each(ORDER)('%s alone gives its roots', async (speaker) => {
    const tree = makeFolders();
    const view = await hear(tree, [speaker]);
    expect(rootsOf(view)).toEqual([[speaker, folder(tree, speaker)]]);
  });

  const pairs = ORDER.flatMap((strong, index) =>
    ORDER.slice(index + 1).map((weak) => [strong, weak] as const),
  );

  test.each(pairs)('%s wins against %s', async (strong, weak) => {
    const tree = makeFolders();
    const view = await hear(tree, [strong, weak]);
    expect(rootsOf(view)).toEqual([[strong, folder(tree, strong)]]);
  });

  test('with no source at all there are no roots, and every path is refused', async () => {
    const tree = makeFolders();
    const view = await hear(tree, []);
    expect(view.snapshot().roots).toEqual([]);
    expect(view.scope().contains(tree('ceiling'))).toBe(false);
    await expect(view.scope().readText(tree('ceiling'))).rejects.toMatchObject({ code: 'no-roots' });
  });

  test('the process directory is never a source', async () => {
    const view = await hear(makeFolders(), [], { directory: process.cwd() });
    expect(view.snapshot().roots).toEqual([]);
  });
});

describe('client-roots', () => {
  test.each(GUESTS)('replace: %s takes the place of the operator sources', async (clientSide) => {
    const tree = makeFolders();
    const view = await hear(tree, [clientSide, 'flag', 'env', 'cwd'], { clientRoots: 'replace' });
    expect(rootsOf(view)).toEqual([[clientSide, folder(tree, clientSide)]]);
    expect(view.snapshot().trace.find(({ source }) => source === 'flag')?.verdict).toBe('replaced');
  });

  test.each(GUESTS)(
    'add: %s comes first, then the winner among the operator sources, and no hint',
    async (clientSide) => {
      const tree = makeFolders();
      const view = await hear(tree, [clientSide, 'env', 'config', 'host'], { clientRoots: 'add' });
      expect(rootsOf(view)).toEqual([
        [clientSide, folder(tree, clientSide)],
        ['env', folder(tree, 'env')],
      ]);
    },
  );

  test('add: a place both name appears once, as the one of the client', async () => {
    const tree = makeFolders();
    const view = await hear(tree, ['client'], {
      clientRoots: 'add',
      roots: [folder(tree, 'client'), folder(tree, 'flag')],
    });
    expect(rootsOf(view)).toEqual([
      ['client', folder(tree, 'client')],
      ['flag', folder(tree, 'flag')],
    ]);
  });

  test('add: without a clientSide everything is as usual', async () => {
    const tree = makeFolders();
    const view = await hear(tree, ['cwd'], { clientRoots: 'add' });
    expect(rootsOf(view)).toEqual([['cwd', folder(tree, 'cwd')]]);
  });

  test('add: a place the operator made read-only stays so when the client names it too', async () => {
    const tree = makeTree('data');
    const roots = [{ path: tree('data'), access: 'read-only' }];
    const workspace = new Workspace({
      sources: await readFrom({ clientRoots: 'add', config: [{ file: tree('rootward.json'), roots }] }),
    });
    onTestFinished(() => workspace.dispose());
    await clientNames(workspace, tree('data'));
    expect(workspace.snapshot().roots).toMatchObject([
      { path: tree('data'), source: 'client', access: 'read-only' },
    ]);
    await expect(workspace.scope().write(tree('data/x'), 'x')).rejects.toMatchObject({ code: 'read-only' });
  });

  test('ignore: nothing that a client says is read', async () => {
    const tree = makeFolders();
    const view = await hear(tree, ['handle', 'client', 'request', 'host'], { clientRoots: 'ignore' });
    expect(rootsOf(view)).toEqual([['host', folder(tree, 'host')]]);
    expect(view.snapshot().client).toBe('ignored');
  });

  test('ignore: the client is never asked', async () => {
    let asked = 0;
    const workspace = new Workspace({
      sources: await readFrom({ clientRoots: 'ignore' }),
      port: {
        async ask() {
          asked += 1;
          return { roots: [] };
        },
      },
    });
    workspace.clientDeclared({ roots: true });
    workspace.clientReady();
    workspace.rootsChanged();
    await workspace.ready();
    expect(asked).toBe(0);
    await expect(workspace.grant('/')).rejects.toMatchObject({ code: 'not-permitted' });
    workspace.dispose();
  });
});

async function cut(declared: readonly string[], within: readonly string[]) {
  const workspace = new Workspace({ sources: await readFrom({ within }) });
  onTestFinished(() => workspace.dispose());
  await clientNames(workspace, ...declared);
  return workspace.snapshot();
}

describe('the ceiling', () => {
  test('inside stays, what contains it becomes it, what lies beside is rejected', async () => {
    const tree = makeTree('top/in/side', 'top/other', 'beside');
    const snapshot = await cut([tree('top/in/side'), tree('top'), tree('beside')], [tree('top/in')]);
    expect(snapshot.roots.map((root) => root.path)).toEqual([tree('top/in/side'), tree('top/in')]);
    expect(snapshot.rejected).toMatchObject([
      { declared: expect.stringContaining('beside'), reason: 'outside-ceiling' },
    ]);
  });

  test('one root above several ceiling directories becomes all of them', async () => {
    const tree = makeTree('top/a', 'top/b', 'c');
    const snapshot = await cut([tree('top')], [tree('top/a'), tree('top/b'), tree('c')]);
    expect(snapshot.roots.map((root) => root.path)).toEqual([tree('top/a'), tree('top/b')]);
  });

  test('if no source leaves a root, the ceiling directories themselves are the roots', async () => {
    const tree = makeTree('a', 'b', 'elsewhere');
    const workspace = new Workspace({
      sources: await readFrom({ within: [tree('a'), tree('b')], environment: { PWD: tree('elsewhere') } }),
    });
    expect(workspace.snapshot().roots).toMatchObject([
      { path: tree('a'), source: 'ceiling' },
      { path: tree('b'), source: 'ceiling' },
    ]);
    workspace.dispose();
  });

  test('a bad ceiling fails fast, naming the path', async () => {
    const tree = makeTree();
    writeFileSync(tree('file'), '');
    await expect(readFrom({ within: [tree('missing')] })).rejects.toMatchObject({
      code: 'not-found',
      path: tree('missing'),
    });
    await expect(readFrom({ within: [tree('file')] })).rejects.toMatchObject({
      code: 'not-a-directory',
      path: tree('file'),
    });
  });

  test('where strangers may connect, operator roots are the ceiling unless one is given', async () => {
    const tree = makeTree('mine/sub', 'theirs', 'wide/mine');
    const bounded = new Workspace({
      sources: await readFrom({ roots: [tree('mine')], operatorRootsAreCeiling: true }),
    });
    await clientNames(bounded, tree('theirs'), tree('mine/sub'));
    expect(bounded.snapshot().roots.map((root) => root.path)).toEqual([tree('mine/sub')]);
    expect(bounded.snapshot().trace.find(({ source }) => source === 'ceiling')?.detail).toBe(
      '--within not given; the roots from flag take its place',
    );

    const given = new Workspace({
      sources: await readFrom({ roots: [tree('mine')], within: [tree('')], operatorRootsAreCeiling: true }),
    });
    await clientNames(given, tree('theirs'), tree('mine/sub'));
    expect(given.snapshot().roots.map((root) => root.path)).toEqual([tree('theirs'), tree('mine/sub')]);
    bounded.dispose();
    given.dispose();
  });

  test('no client, request, handle or consent goes beyond it', async () => {
    const tree = makeTree('allowed/a/b', 'allowed/c', 'outside/x', 'allowed-not');
    const places = [
      '',
      'allowed',
      'allowed/a',
      'allowed/a/b',
      'allowed/c',
      'outside',
      'outside/x',
      'allowed-not',
    ];
    const sources = await readFrom({ within: [tree('allowed/a'), tree('allowed/c')] });
    const isAllowed = (path: string): boolean =>
      [tree('allowed/a'), tree('allowed/c')].some((top) => path === top || path.startsWith(`${top}/`));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...places), { maxLength: 4 }),
        fc.constantFrom('client', 'request', 'handle', 'consent'),
        async (names, clientSide) => {
          const workspace = new Workspace({ sources });
          const paths = names.map((name) => tree(name));
          let view: WorkspaceView = workspace;
          if (clientSide === 'client') {
            await clientNames(workspace, ...paths);
          } else if (clientSide === 'request') {
            view = await workspace.forRequest({ 'agent-working-dir': paths[0] });
          } else if (clientSide === 'handle') {
            const handle = paths.map((path) => ({ path }));
            view = await openHandle(sources, handle).catch(() => workspace);
          } else {
            for (const path of paths) await workspace.grant(path).catch(() => undefined);
          }
          expect(view.snapshot().roots.filter((root) => !isAllowed(root.path))).toEqual([]);
          workspace.dispose();
        },
      ),
      { numRuns: 200 },
    );
  });

  test('consent beyond the ceiling is refused, also where it merely contains it', async () => {
    const tree = makeTree('top/in', 'beside');
    const workspace = new Workspace({ sources: await readFrom({ within: [tree('top/in')] }) });
    for (const name of ['top', 'beside']) {
      await expect(workspace.grant(tree(name))).rejects.toMatchObject({ code: 'outside-ceiling' });
    }
    workspace.dispose();
  });
});

describe('a handle', () => {
  test('a bad one fails the call and never falls through', async () => {
    const tree = makeFolders();
    const sources = await readFrom({ roots: [folder(tree, 'flag')] });
    await expect(openHandle(sources, [{ path: tree('missing') }])).rejects.toMatchObject({
      code: 'not-found',
      instruction: 'Omit `workspace`, or call workspace_info for a new one',
    });
  });

  test('one that holds no roots gives none, whatever others say', async () => {
    const tree = makeFolders();
    const workspace = await openHandle(await readFrom({ roots: [folder(tree, 'flag')] }), []);
    expect(workspace.snapshot().roots).toEqual([]);
  });
});

describe('the trace', () => {
  test('tells the whole story in order, covering every source, needed or not', async () => {
    const tree = makeFolders();
    mkdirSync(tree('gone'));
    const view = await hear(tree, ['request', 'flag', 'config', 'cwd', 'ceiling'], {
      environment: { CLAUDE_PROJECT_DIR: '${workspaceFolder}', PWD: folder(tree, 'cwd') },
    });
    const { trace } = view.snapshot();
    expect(trace.map(({ source, verdict }) => [source, verdict])).toEqual([
      ['handle', 'absent'],
      ['consent', 'absent'],
      ['client', 'absent'],
      ['request', 'used'],
      ['flag', 'replaced'],
      ['env', 'absent'],
      ['config', 'replaced'],
      ['project', 'absent'],
      ['host', 'rejected'],
      ['cwd', 'not-needed'],
      ['ceiling', 'not-needed'],
    ]);
    expect(trace.find(({ source }) => source === 'cwd')).toMatchObject({
      detail: `PWD names ${folder(tree, 'cwd')}`,
      roots: [{ path: folder(tree, 'cwd') }],
    });
    expect(trace.every((entry) => Object.isFrozen(entry))).toBe(true);
    expect(OPERATORS.every((source) => trace.some((entry) => entry.source === source))).toBe(true);
  });

  test('counts a process directory as rejected only where it was needed', async () => {
    const tree = makeFolders();
    const environment = { PWD: '/' };
    const named = (await hear(tree, ['flag'], { environment })).snapshot();
    expect(named.rejected).toEqual([]);
    expect(named.trace.find(({ source }) => source === 'cwd')).toMatchObject({ verdict: 'not-needed' });
    const alone = (await hear(tree, [], { environment })).snapshot();
    expect(alone.rejected).toMatchObject([{ source: 'cwd', reason: 'too-broad' }]);
    expect(alone.trace.find(({ source }) => source === 'cwd')).toMatchObject({ verdict: 'rejected' });
    const hinted = { ...environment, CLAUDE_PROJECT_DIR: folder(tree, 'host') };
    expect((await hear(tree, [], { environment: hinted })).snapshot().rejected).toEqual([]);
  });
});
