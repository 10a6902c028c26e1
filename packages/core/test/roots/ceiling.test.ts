import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutToCeiling } from '../../src/roots/ceiling.js';
import { containsPath } from '../../src/roots/contains-path.js';

const directory = (path: string) => ({ path, kind: 'directory' }) as const;
const file = (path: string) => ({ path, kind: 'file' }) as const;

test('cutToCeiling() leaves a root inside as it is', () => {
  expect(cutToCeiling(directory('/w/a'), ['/w'], 'posix')).toEqual(['/w/a']);
  expect(cutToCeiling(directory('/w'), ['/w'], 'posix')).toEqual(['/w']);
  expect(cutToCeiling(file('/w/a.txt'), ['/w'], 'posix')).toEqual(['/w/a.txt']);
});

test('cutToCeiling() turns a wider root into the ceiling directories it contains', () => {
  expect(cutToCeiling(directory('/'), ['/w', '/v/x', '/w'], 'posix')).toEqual(['/w', '/v/x']);
  expect(cutToCeiling(directory('/v'), ['/w', '/v/x'], 'posix')).toEqual(['/v/x']);
  expect(cutToCeiling(directory('C:\\'), ['C:\\w', 'D:\\w'], 'windows')).toEqual(['C:\\w']);
});

test('cutToCeiling() leaves nothing of a root beside the ceiling', () => {
  expect(cutToCeiling(directory('/wide'), ['/w'], 'posix')).toEqual([]);
  expect(cutToCeiling(file('/x.txt'), ['/w'], 'posix')).toEqual([]);
  expect(cutToCeiling(directory('/w'), [], 'posix')).toEqual([]);
});

// Few names and shallow paths, so that containment in either direction is common.
const path = fc
  .array(fc.constantFrom('a', 'ab', 'b'), { maxLength: 4 })
  .map((parts) => `/${parts.join('/')}`);
const ceiling = fc.array(path, { maxLength: 4 });

test('cutToCeiling() never leaves anything beyond the ceiling or beyond the root', () => {
  fc.assert(
    fc.property(path, ceiling, (root, limits) => {
      for (const left of cutToCeiling(directory(root), limits, 'posix')) {
        expect(limits.some((limit) => containsPath(limit, left, 'posix'))).toBe(true);
        expect(containsPath(root, left, 'posix')).toBe(true);
      }
    }),
  );
});

test('cutToCeiling() loses nothing that lies in both the root and the ceiling', () => {
  fc.assert(
    fc.property(path, ceiling, path, (root, limits, probe) => {
      const inBoth =
        containsPath(root, probe, 'posix') && limits.some((limit) => containsPath(limit, probe, 'posix'));
      const left = cutToCeiling(directory(root), limits, 'posix');
      expect(left.some((one) => containsPath(one, probe, 'posix'))).toBe(inBoth);
    }),
    { numRuns: 1000 },
  );
});

test('cutToCeiling() changes nothing when applied again', () => {
  fc.assert(
    fc.property(path, ceiling, (root, limits) => {
      const once = cutToCeiling(directory(root), limits, 'posix');
      expect(once.flatMap((left) => cutToCeiling(directory(left), limits, 'posix'))).toEqual(once);
    }),
  );
});
