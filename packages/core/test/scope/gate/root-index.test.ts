import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isKernelPath, RootIndex } from '../../../src/scope/gate/root-index.js';
import { rootAt } from '../fixture.js';

function indexOf(...paths: string[]): RootIndex {
  return new RootIndex(paths.map((path) => rootAt(path)));
}

function containing(index: RootIndex, path: string): string[] {
  return index.containing(path, false).map((root) => root.path);
}

describe.runIf(process.platform !== 'win32')('RootIndex', () => {
  test('contains the root itself and all that is below it, and no sibling that shares a prefix', () => {
    const index = indexOf('/data/app');
    for (const path of ['/data/app', '/data/app/a', '/data/app/a/b/c']) {
      expect(containing(index, path)).toEqual(['/data/app']);
    }
    for (const path of ['/', '/data', '/data/app2', '/data/ap', "/data/app'", '/data/app ', '/Data/app']) {
      expect(containing(index, path)).toEqual([]);
    }
  });

  test('gives nested roots, the deepest first', () => {
    const index = indexOf('/data', '/', '/data/app/deep', '/data/app');
    expect(containing(index, '/data/app/deep/a')).toEqual(['/data/app/deep', '/data/app', '/data', '/']);
    expect(containing(index, '/data')).toEqual(['/data', '/']);
    expect(containing(index, '/')).toEqual(['/']);
    expect(containing(index, '/a')).toEqual(['/']);
  });

  test('treats a single-file root as that file only', () => {
    const index = new RootIndex([rootAt('/data/a', { kind: 'file' })]);
    expect(containing(index, '/data/a')).toEqual(['/data/a']);
    expect(containing(index, '/data/a/b')).toEqual([]);
    expect(index.containing('/data/a', true)).toEqual([]);
  });

  test('does not contain what was a single-file root and has become a folder', () => {
    const index = new RootIndex([rootAt('/data/a', { kind: 'file' }), rootAt('/data')]);
    expect(index.containing('/data/a', true).map((root) => root.path)).toEqual(['/data']);
  });

  test('keeps the first of two roots with the same path', () => {
    const first = rootAt('/data', { access: 'read-only' });
    expect(new RootIndex([first, rootAt('/data')]).containing('/data/a', false)).toEqual([first]);
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
    const index = indexOf('/data/app/deep');
    for (const path of ['/data', '/data/app', '/data/app/deep']) expect(index.leadsToRoot(path)).toBe(true);
    for (const path of ['/dat', '/data/ap', '/data/app/deep/a', '/other'])
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
