import { describe, expect, test } from 'vitest';
import type { Root } from '../../src/roots/root.js';
import type { LinkedTree, TreeFacts } from '../../src/trees/linked-trees.js';
import { mayBeLeft, placeCall, type CallerContext } from '../../src/trees/place-call.js';

const DAY = 24 * 60 * 60_000;
const CONNECTED = 100 * DAY;

interface FakeTree extends Partial<LinkedTree> {
  readonly top: string;
  readonly main: string;
}

const isBelow = (top: string, path: string): boolean => path === top || path.startsWith(`${top}/`);
const deepest = (tops: readonly string[], path: string): string | undefined =>
  tops.filter((top) => isBelow(top, path)).toSorted((a, b) => b.length - a.length)[0];

/** Repositories by the top of their main tree, and the worktrees linked to them. */
function factsOf(
  mains: readonly string[],
  linked: readonly FakeTree[],
  liars: readonly string[] = [],
): TreeFacts {
  const linkedTreeOf: TreeFacts['linkedTreeOf'] = (directory) => {
    const top = deepest([...linked.map((tree) => tree.top), ...liars], directory);
    if (top === undefined) return undefined;
    const tree = linked.find((each) => each.top === top);
    return tree === undefined ? 'unconfirmed' : { top, path: tree.main };
  };
  return {
    canonical: (directory) => (directory.startsWith('/gone') ? undefined : directory),
    linkedTreeOf,
    repositoryOf: (directory) => {
      const top = deepest([...mains, ...linked.map((tree) => tree.top)], directory);
      if (top === undefined) return undefined;
      return { top, path: linked.find((tree) => tree.top === top)?.main ?? top };
    },
    linkedTrees: (repository, isOfInterest) =>
      linked
        .filter(({ main }) => main === repository)
        .map(({ top, addedAt = 0, usedAt = 0 }) => ({ top, addedAt, usedAt }))
        .filter(isOfInterest),
  };
}

function rootsAt(...paths: readonly string[]): readonly Root[] {
  return paths.map((path) => ({
    uri: `file://${path}`,
    path,
    name: '',
    kind: 'directory',
    access: 'read-write',
    source: 'client',
    declared: path,
    broad: false,
  }));
}

const context = (directory?: string, more: Partial<CallerContext> = {}): CallerContext => ({
  signal: directory === undefined ? undefined : { source: 'agent', directory },
  client: 'claude-code',
  connectedAt: CONNECTED,
  now: CONNECTED + DAY,
  ...more,
});

const W = '/m/.claude/worktrees/w';
const facts = factsOf(
  ['/m', '/other'],
  [
    { top: W, main: '/m' },
    { top: '/v', main: '/m' },
    { top: '/o', main: '/other' },
  ],
  ['/liar'],
);

describe('placeCall() with a signal', () => {
  test.each([
    ['the top of a worktree', '/m', W, [W]],
    ['a folder in a worktree', '/m', `${W}/src`, [W]],
    ['a worktree outside the roots', '/m', '/v/src', ['/v']],
    ['a worktree, for a root below the top', '/m/packages/a', '/v', ['/v/packages/a']],
  ])('replaces the roots of the main tree for %s', (_, root, cwd, paths) => {
    const place = placeCall(rootsAt(root), context(cwd), facts);
    expect(place).toMatchObject({ kind: 'moved', moves: paths.map((path) => ({ path })) });
  });

  test('leaves roots of other repositories alone', () => {
    const place = placeCall(rootsAt('/other', '/m', '/plain'), context('/v'), facts);
    expect(place).toMatchObject({ kind: 'moved', moves: [{ root: { path: '/m' }, path: '/v' }] });
  });

  test.each([
    ['the main tree', '/m', '/m/src'],
    ['the main tree above the root', '/m/packages/a', '/m'],
    ['the same linked tree', W, `${W}/src`],
    ['a root outside of any repository', '/plain', '/plain/x'],
    ['a worktree of a repository that has nothing to do with the roots, inside a root', '/', '/o'],
    ['another folder', '/m', '/elsewhere'],
  ])('changes nothing for %s', (_, root, cwd) => {
    expect(placeCall(rootsAt(root), context(cwd), facts).kind).toBe('here');
  });

  test.each([
    ['elsewhere', 'a sibling of the tree the roots lie in', W, '/v'],
    ['elsewhere', 'the main tree, while the roots lie in a linked one', W, '/m/src'],
    ['unconfirmed', 'a folder that only claims to be a worktree', '/m', '/liar/x'],
    ['gone', 'a folder that does not exist', '/m', '/gone'],
  ])('is unclear (%s) for %s', (why, _, root, cwd) => {
    expect(placeCall(rootsAt(root), context(cwd), facts)).toMatchObject({ kind: 'unclear', why });
  });
});

const placed = (tree: FakeTree, more: Partial<CallerContext> = {}, root = '/m') =>
  placeCall(rootsAt(root), context(undefined, more), factsOf(['/m'], [tree])).kind;

describe('placeCall() without a signal', () => {
  test('is unclear when a tree came into being after the connection began', () => {
    expect(placed({ top: '/v', main: '/m', addedAt: CONNECTED + 1 })).toBe('unclear');
    expect(placed({ top: '/v', main: '/m', addedAt: CONNECTED - 1000 })).toBe('here');
  });

  test('is unclear when the client keeps its own trees there, and one was used within a day', () => {
    const usedAt = CONNECTED + 1000;
    expect(placed({ top: W, main: '/m', usedAt })).toBe('unclear');
    expect(placed({ top: W, main: '/m', usedAt: CONNECTED - 1 })).toBe('here');
    expect(placed({ top: '/v', main: '/m', usedAt })).toBe('here');
    expect(placed({ top: W, main: '/m', usedAt }, { client: 'vscode' })).toBe('here');
  });

  test('does not count the tree the roots lie in', () => {
    expect(placed({ top: W, main: '/m', addedAt: CONNECTED + 1 }, {}, W)).toBe('here');
  });

  test('takes roots that came with the call for a signal', () => {
    const [root] = rootsAt('/m');
    for (const source of ['request', 'handle'] as const) {
      const tree = { top: '/v', main: '/m', addedAt: CONNECTED + 1 };
      expect(placeCall([{ ...root!, source }], context(), factsOf(['/m'], [tree]))).toEqual({
        kind: 'here',
        known: source,
      });
    }
  });
});

test('mayBeLeft() is true for roots in a linked tree that is in use', () => {
  const tree = { top: W, main: '/m', addedAt: CONNECTED + 1 };
  const left = (root: string, more: Partial<FakeTree> = {}) =>
    mayBeLeft(rootsAt(root), context(), factsOf(['/m'], [{ ...tree, ...more }]));
  expect([left(W), left('/m'), left('/plain')]).toEqual([true, false, false]);
  expect(left('/v', { top: '/v', addedAt: 0 })).toBe(false);
});
