import { describe, expect, onTestFinished, test } from 'vitest';
import type { Root } from '../../src/roots/root.js';
import { keepReadOnly } from '../../src/snapshot/keep-read-only.js';
import { Workspace } from '../../src/workspace/workspace.js';
import type { Sources } from '../../src/sources/read-sources.js';
import { clientNames, makeTree, openHandle } from '../workspace/scripted-client.js';
import { readFrom } from '../sources/read-from.js';

type Tree = (name: string) => string;

/** The operator names `shared`, and `shared/archive` as the part of it that is only to be read. */
function readShared(tree: Tree, operatorRootsAreCeiling: boolean): Promise<Sources> {
  const roots = [tree('shared'), { path: tree('shared/archive'), access: 'read-only' }];
  return readFrom({ config: [{ file: tree('rootward.json'), roots }], operatorRootsAreCeiling });
}

async function openShared(tree: Tree, operatorRootsAreCeiling: boolean): Promise<Workspace> {
  const sources = await readShared(tree, operatorRootsAreCeiling);
  const workspace = new Workspace({ sources, limits: { spacing: 0 } });
  onTestFinished(() => workspace.dispose());
  return workspace;
}

function writable(workspace: Pick<Workspace, 'scope'>, path: string): boolean {
  return workspace.scope().locate(path).writable;
}

describe.each([
  ['a ceiling', true],
  ['a default', false],
])('%s that is read-only in part', (_, isCeiling) => {
  test.each(['', 'shared', 'shared/archive', 'shared/archive/old'])(
    'stays so for a client that names "%s"',
    async (name) => {
      const tree = makeTree('shared/archive/old', 'shared/work');
      const workspace = await openShared(tree, isCeiling);
      await clientNames(workspace, tree(name));
      expect(workspace.snapshot().roots[0]?.source).toBe('client');
      expect(writable(workspace, tree('shared/archive/old'))).toBe(false);
    },
  );

  test('stays so for a handle, a request and a consent', async () => {
    const tree = makeTree('shared/archive/old');
    const old = tree('shared/archive/old');
    const [byHandle, byRequest, byConsent] = [
      await openHandle(await readShared(tree, isCeiling), [{ path: old }]),
      await openShared(tree, isCeiling),
      await openShared(tree, isCeiling),
    ];
    byRequest.clientDeclared({ roots: false });
    const view = await byRequest.forRequest({ 'agent-working-dir': old });
    await byConsent.grant(old);
    expect([writable(byHandle, old), writable(view, old), writable(byConsent, old)]).toEqual([
      false,
      false,
      false,
    ]);
  });

  test('is told as such when a consent is considered and given', async () => {
    const tree = makeTree('shared/archive/old', 'shared/work');
    const workspace = await openShared(tree, isCeiling);
    for (const [name, access] of [
      ['shared/archive/old', 'read-only'],
      ['shared/archive', 'read-only'],
      ['shared/work', 'read-write'],
    ] as const) {
      const place = await workspace.consider(tree(name));
      expect(place).toMatchObject({ path: tree(name), access, source: 'consent' });
      expect(await workspace.grant(place)).toEqual(place);
      expect(writable(workspace, tree(name))).toBe(access === 'read-write');
    }
  });

  test('leaves the rest as it is', async () => {
    const tree = makeTree('shared/archive', 'shared/work');
    const workspace = await openShared(tree, isCeiling);
    await clientNames(workspace, tree('shared/work'));
    expect(workspace.snapshot().roots).toMatchObject([{ path: tree('shared/work'), access: 'read-write' }]);
    await clientNames(workspace, tree('shared'));
    expect(writable(workspace, tree('shared/work'))).toBe(true);
  });
});

test('a handle that holds a read-only root keeps what is in it read-only, in the list of roots, too', async () => {
  const tree = makeTree('archive/old');
  const handle = [{ path: tree('archive/old') }, { path: tree('archive'), access: 'read-only' }] as const;
  const workspace = await openHandle(await readFrom({}), handle);
  expect(workspace.snapshot().roots.map(({ access }) => access)).toEqual(['read-only', 'read-only']);
  expect(await workspace.grant(tree('archive/old'))).toMatchObject({ access: 'read-only' });
  expect(writable(workspace, tree('archive/old'))).toBe(false);
});

function rootAt(path: string, access: Root['access'] = 'read-write'): Root {
  const source = access === 'read-only' ? 'config' : 'client';
  return {
    uri: `file://${path}`,
    path,
    name: path,
    kind: 'directory',
    access,
    source,
    declared: path,
    broad: false,
  };
}

test.each([
  ['posix', '/', '/srv/a', '/srv/a/b', '/srv/ab'],
  ['windows', 'C:\\', 'C:\\srv\\a', 'C:\\srv\\a\\b', 'C:\\srv\\ab'],
  ['windows', '\\\\host\\share', '\\\\host\\share\\a', '\\\\host\\share\\a\\b', '\\\\host\\share\\ab'],
] as const)('keepReadOnly() compares %s paths below %s part by part', (style, top, place, below, sibling) => {
  const readOnly = [rootAt(place, 'read-only')];
  const accessOf = (path: string): unknown =>
    keepReadOnly([rootAt(path)], readOnly, style).map((root) => [root.path, root.access]);
  expect(accessOf(top)).toEqual([
    [top, 'read-write'],
    [place, 'read-only'],
  ]);
  expect(accessOf(place)).toEqual([[place, 'read-only']]);
  expect(accessOf(below)).toEqual([[below, 'read-only']]);
  expect(accessOf(sibling)).toEqual([[sibling, 'read-write']]);
});

function manyRoots(folder: string, access: Root['access']): readonly Root[] {
  return Array.from({ length: 5_000 }, (_, index) => rootAt(`/home/someone/${folder}-${index}/app`, access));
}

test('keepReadOnly() serves thousands of both', () => {
  const [roots, readOnly] = [manyRoots('client', 'read-write'), manyRoots('operator', 'read-only')];
  expect(keepReadOnly(roots, readOnly, 'posix')).toEqual(roots);
});
