import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Ceiling } from '../../src/roots/ceiling.js';
import { containsPath } from '../../src/uri/contains-path.js';
import type { Root } from '../../src/roots/root.js';
import type { PathStyle } from '../../src/uri/path-style.js';

const directory = (path: string) => ({ path, kind: 'directory' }) as const;
const file = (path: string) => ({ path, kind: 'file' }) as const;

function cutToCeiling(
  root: Parameters<Ceiling['cut']>[0],
  ceiling: readonly string[],
  style: PathStyle,
): readonly string[] {
  return new Ceiling(ceiling, style).cut(root);
}

test('Ceiling.cut() leaves a root inside as it is', () => {
  expect(cutToCeiling(directory('/w/a'), ['/w'], 'posix')).toEqual(['/w/a']);
  expect(cutToCeiling(directory('/w'), ['/w'], 'posix')).toEqual(['/w']);
  expect(cutToCeiling(file('/w/a.txt'), ['/w'], 'posix')).toEqual(['/w/a.txt']);
});

test('Ceiling.cut() turns a wider root into the ceiling directories it contains', () => {
  expect(cutToCeiling(directory('/'), ['/w', '/v/x', '/w'], 'posix')).toEqual(['/w', '/v/x']);
  expect(cutToCeiling(directory('/v'), ['/w', '/v/x'], 'posix')).toEqual(['/v/x']);
  expect(cutToCeiling(directory('C:\\'), ['C:\\w', 'D:\\w'], 'windows')).toEqual(['C:\\w']);
});

test('Ceiling.cut() leaves nothing of a root beside the ceiling', () => {
  expect(cutToCeiling(directory('/wide'), ['/w'], 'posix')).toEqual([]);
  expect(cutToCeiling(file('/x.txt'), ['/w'], 'posix')).toEqual([]);
  expect(cutToCeiling(directory('/w'), [], 'posix')).toEqual([]);
});

// Few names and shallow paths, so that containment in either direction is common.
const path = fc
  .array(fc.constantFrom('a', 'ab', 'b'), { maxLength: 4 })
  .map((parts) => `/${parts.join('/')}`);
const ceiling = fc.array(path, { maxLength: 4 });

test('Ceiling.cut() never leaves anything beyond the ceiling or beyond the root', () => {
  fc.assert(
    fc.property(path, ceiling, (root, limits) => {
      for (const left of cutToCeiling(directory(root), limits, 'posix')) {
        expect(limits.some((limit) => containsPath(limit, left, 'posix'))).toBe(true);
        expect(containsPath(root, left, 'posix')).toBe(true);
      }
    }),
  );
});

test('Ceiling.cut() loses nothing that lies in both the root and the ceiling', () => {
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

test('Ceiling.cut() changes nothing when applied again', () => {
  fc.assert(
    fc.property(path, ceiling, (root, limits) => {
      const once = cutToCeiling(directory(root), limits, 'posix');
      expect(once.flatMap((left) => cutToCeiling(directory(left), limits, 'posix'))).toEqual(once);
    }),
  );
});

/** Each with each: what the index must agree with. */
function cutPlainly(
  root: Pick<Root, 'path' | 'kind'>,
  limits: readonly string[],
  style: PathStyle,
): readonly string[] {
  if (limits.some((limit) => containsPath(limit, root.path, style))) return [root.path];
  if (root.kind === 'file') return [];
  return [...new Set(limits.filter((limit) => containsPath(root.path, limit, style)))];
}

// Names that sort before and after a separator, differ in letter case only, or hold the separator of the other style.
const name = fc.constantFrom('a', 'A', 'ab', 'a b', 'a-b', 'a.b', 'a0', 'ä', '\u{1F600}', 'a\uFFFF');
const names = fc.array(name, { maxLength: 4 });
const paths = {
  posix: fc
    .array(fc.oneof(name, fc.constant('a\\b')), { maxLength: 4 })
    .map((parts) => `/${parts.join('/')}`),
  windows: fc.oneof(
    fc
      .tuple(fc.constantFrom('C:', 'D:', '\\\\host\\share'), names)
      .map(([top, parts]) => [top, ...parts].join('\\')),
    fc.constantFrom('C:\\', 'D:\\'),
  ),
} as const;

test.each(['posix', 'windows'] as const)('Ceiling.cut() answers for %s as if it looked at each', (style) => {
  const kind = fc.constantFrom('directory', 'file');
  const root = fc.record({ path: paths[style], kind });
  fc.assert(
    fc.property(
      fc.array(root, { maxLength: 6 }),
      fc.array(paths[style], { maxLength: 12 }),
      (roots, limits) => {
        const index = new Ceiling(limits, style);
        for (const one of roots) expect(index.cut(one)).toEqual(cutPlainly(one, limits, style));
      },
    ),
    { numRuns: 3_000 },
  );
});

test('Ceiling.cut() compares letter case exactly, also for windows', () => {
  const index = new Ceiling(['C:\\Work'], 'windows');
  expect(index.cut(directory('C:\\work\\a'))).toEqual([]);
  expect(index.cut(directory('C:\\Work\\a'))).toEqual(['C:\\Work\\a']);
});

function many(folder: string): readonly string[] {
  return Array.from({ length: 5_000 }, (_, index) => `/home/someone/${folder}-${index}/app`);
}

test('Ceiling.cut() serves thousands of roots under thousands of directories', () => {
  const index = new Ceiling(many('operator'), 'posix');
  for (const one of many('client')) expect(index.cut(directory(one))).toEqual([]);
});
