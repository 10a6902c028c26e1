import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { diffRoots } from '../../src/roots/diff-roots.js';
import type { Root } from '../../src/roots/root.js';

function root(path: string, more: Partial<Root> = {}): Root {
  return {
    uri: `file://${path}`,
    path,
    name: path.slice(1),
    kind: 'directory',
    access: 'read-write',
    source: 'client',
    declared: `file://${path}`,
    broad: false,
    ...more,
  };
}

const [a, b, c, d] = [root('/a'), root('/b'), root('/c'), root('/d')];

test('diffRoots() lists what was added and removed in list order', () => {
  expect(diffRoots([a, b, c], [d, b, root('/e')])).toEqual({
    added: [d, root('/e')],
    removed: [a, c],
    primaryChanged: true,
  });
});

test('diffRoots() sees a change of order only in the primary root', () => {
  expect(diffRoots([a, b, c], [a, c, b])).toEqual({ added: [], removed: [], primaryChanged: false });
  expect(diffRoots([a, b], [b, a])).toEqual({ added: [], removed: [], primaryChanged: true });
});

test('diffRoots() takes the first directory, not the first root, as primary', () => {
  const file = root('/f.txt', { kind: 'file' });
  expect(diffRoots([a], [file, a]).primaryChanged).toBe(false);
  expect(diffRoots([a], [file]).primaryChanged).toBe(true);
  expect(diffRoots([], [file]).primaryChanged).toBe(false);
  expect(diffRoots([], [a]).primaryChanged).toBe(true);
});

test('diffRoots() replaces a root whose access or kind changed', () => {
  const locked = root('/a', { access: 'read-only' });
  expect(diffRoots([a], [locked])).toEqual({ added: [locked], removed: [a], primaryChanged: true });
  const file = root('/b', { kind: 'file' });
  expect(diffRoots([a, b], [a, file])).toEqual({ added: [file], removed: [b], primaryChanged: false });
});

test('diffRoots() does not mind another name or source', () => {
  const renamed = root('/a', { name: 'other', source: 'flag', declared: '/a' });
  expect(diffRoots([a], [renamed])).toEqual({ added: [], removed: [], primaryChanged: false });
});

const list = fc.uniqueArray(
  fc.record({
    path: fc.constantFrom('/a', '/b', '/c', '/d', '/e'),
    kind: fc.constantFrom('directory' as const, 'file' as const),
    access: fc.constantFrom('read-write' as const, 'read-only' as const),
  }),
  { selector: (one) => one.path, maxLength: 5 },
);
const roots = list.map((ones) => ones.map(({ path, ...more }) => root(path, more)));
const keys = (ones: readonly Root[]) => new Set(ones.map((one) => `${one.path} ${one.kind} ${one.access}`));

test('diffRoots() of a list with itself is empty', () => {
  fc.assert(
    fc.property(roots, (ones) => {
      const copy = ones.map((one) => ({ ...one }));
      expect(diffRoots(ones, copy)).toEqual({ added: [], removed: [], primaryChanged: false });
    }),
  );
});

test('applying diffRoots() to the list before gives the list after', () => {
  fc.assert(
    fc.property(roots, roots, (before, after) => {
      const { added, removed } = diffRoots(before, after);
      const removedKeys = keys(removed);
      const kept = [...keys(before)].filter((key) => !removedKeys.has(key));
      expect(new Set([...kept, ...keys(added)])).toEqual(keys(after));
      expect([...keys(added)].filter((key) => kept.includes(key))).toEqual([]);
    }),
  );
});

test('diffRoots() backwards swaps what was added and removed', () => {
  fc.assert(
    fc.property(roots, roots, (before, after) => {
      const there = diffRoots(before, after);
      const back = diffRoots(after, before);
      expect(back).toEqual({
        added: there.removed,
        removed: there.added,
        primaryChanged: there.primaryChanged,
      });
    }),
  );
});
