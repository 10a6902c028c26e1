import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isKernelPath, RootIndex } from '../../src/scope/root-index.js';
import { rootAt } from './fixture.js';

function indexOf(...paths: string[]): RootIndex {
  return new RootIndex(paths.map((path) => rootAt(path)));
}

function containing(index: RootIndex, path: string): string[] {
  return index.containing(path, false).map((root) => root.path);
}

describe.runIf(process.platform !== 'win32')('RootIndex', () => {
  test('contains the root itself and all that is below it, and no sibling that shares a prefix', () => {
    const index = indexOf('/work/app');
    for (const path of ['/work/app', '/work/app/a', '/work/app/a/b/c']) {
      expect(containing(index, path)).toEqual(['/work/app']);
    }
    for (const path of ['/', '/work', '/work/app2', '/work/ap', "/work/app'", '/work/app ', '/Work/app']) {
      expect(containing(index, path)).toEqual([]);
    }
  });

  test('gives nested roots, the deepest first', () => {
    const index = indexOf('/work', '/', '/work/app/deep', '/work/app');
    expect(containing(index, '/work/app/deep/a')).toEqual(['/work/app/deep', '/work/app', '/work', '/']);
    expect(containing(index, '/work')).toEqual(['/work', '/']);
    expect(containing(index, '/')).toEqual(['/']);
    expect(containing(index, '/a')).toEqual(['/']);
  });

  test('treats a single-file root as that file only', () => {
    const index = new RootIndex([rootAt('/work/a', { kind: 'file' })]);
    expect(containing(index, '/work/a')).toEqual(['/work/a']);
    expect(containing(index, '/work/a/b')).toEqual([]);
    expect(index.containing('/work/a', true)).toEqual([]);
  });

  test('does not contain what was a single-file root and has become a folder', () => {
    const index = new RootIndex([rootAt('/work/a', { kind: 'file' }), rootAt('/work')]);
    expect(index.containing('/work/a', true).map((root) => root.path)).toEqual(['/work']);
  });

  test('keeps the first of two roots with the same path', () => {
    const first = rootAt('/work', { access: 'read-only' });
    expect(new RootIndex([first, rootAt('/work')]).containing('/work/a', false)).toEqual([first]);
  });

  test('contains nothing without roots', () => {
    expect(containing(indexOf(), '/')).toEqual([]);
    expect(indexOf().leadsToRoot('/')).toBe(false);
  });

  test('never contains the interfaces of the kernel', () => {
    const index = indexOf('/', '/proc', '/dev/shm');
    for (const path of ['/proc', '/proc/self/root', '/sys/x', '/dev/shm/a', '/dev']) {
      expect(containing(index, path)).toEqual([]);
      expect(isKernelPath(path)).toBe(true);
    }
    for (const path of ['/process', '/system', '/devel/a', '/home/proc']) {
      expect(containing(index, path)).toEqual(['/']);
    }
  });

  test('leadsToRoot() is true for a root and the folders above it', () => {
    const index = indexOf('/work/app/deep');
    for (const path of ['/work', '/work/app', '/work/app/deep']) expect(index.leadsToRoot(path)).toBe(true);
    for (const path of ['/wor', '/work/ap', '/work/app/deep/a', '/other'])
      expect(index.leadsToRoot(path)).toBe(false);
  });

  test('agrees with comparing components one root at a time', () => {
    const path = fc
      .array(fc.constantFrom('a', 'b', 'ab', 'a b', '..a'), { maxLength: 5 })
      .map((parts) => `/${parts.join('/')}`);
    fc.assert(
      fc.property(fc.array(path, { maxLength: 8 }), path, (roots, asked) => {
        const parts = asked.split('/').filter(Boolean);
        const expected = [...new Set(roots)].filter((root) =>
          root
            .split('/')
            .filter(Boolean)
            .every((part, index) => parts[index] === part),
        );
        expect(containing(indexOf(...roots), asked).sort()).toEqual(expected.sort());
      }),
    );
  });
});
