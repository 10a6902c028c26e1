import * as fc from 'fast-check';
import picomatch from 'picomatch';
import { describe, expect, test } from 'vitest';
import { compileDenies } from '../../../src/scope/gate/deny.js';
import { globCost } from '../../../src/scope/glob/cost.js';
import { globMatcher } from '../../../src/scope/glob/matcher.js';
import { splitByName } from '../../../src/scope/glob/names.js';

const OPTIONS = {
  'a search': { dot: true, strictSlashes: true, posix: true },
  'a denial': { dot: true, nonegate: true, flags: 's', debug: true, posix: true },
  'a category': { dot: true, nonegate: true, nocase: true, posix: true },
} as const;

const globName = fc.constantFrom(
  'a',
  'B',
  '.a',
  '*',
  '*a*',
  'a*',
  '*.*',
  '*a*b*',
  '?*?',
  '[ab]*',
  '[!a]',
  '[!]a*',
  '[^]',
  'a+b*',
  '*{a,b}*',
  '{a,.b}',
  '@(a|b)*',
  '(a|b)',
  '?(a)b',
  'a,b',
  '{1..3}',
  '$a^',
  '$$*',
  'a*++',
  '{a,}',
  '{*,b}',
  '?(a)',
  '(a|b)?',
  '@(a|b)?(a)',
  '()',
);
const deep = fc.constant('**');
const plainGlob = fc.array(fc.oneof(globName, deep), { minLength: 2, maxLength: 6 });
const name = fc.constantFrom(
  'a',
  'b',
  'B',
  'ab',
  'aab',
  'ba',
  '.a',
  '.b',
  'a.b',
  'c',
  '2',
  '$a^',
  'a,b',
  '$$',
  'a+',
  '!',
);
const path = fc.array(name, { minLength: 1, maxLength: 6 }).map((names) => names.join('/'));

function everyPathUpTo(candidate: string): readonly string[] {
  return candidate.split('/').map((_, end, names) => names.slice(0, end + 1).join('/'));
}

describe.each(Object.entries(OPTIONS))('globMatcher() for %s', (_, options) => {
  const compile = (glob: string) => picomatch(glob, options);
  const candidates = fc.array(path, { minLength: 1, maxLength: 8 });

  test('matches name by name what picomatch matches as a whole', () => {
    fc.assert(
      fc.property(plainGlob, candidates, (names, paths) => {
        const glob = names.join('/');
        fc.pre(splitByName(glob) !== undefined);
        const whole = compile(glob);
        const matcher = globMatcher(glob, compile);
        for (const one of paths) {
          expect([glob, one, matcher.matches(one)]).toEqual([glob, one, whole(one)]);
          expect([glob, one, matcher.matchesOrAbove(one)]).toEqual([
            glob,
            one,
            everyPathUpTo(one).some((each) => whole(each)),
          ]);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

test.each([
  ['**/secrets/**/{*,b}', 'app/secrets'],
  ['secrets/**/**/?(a)', 'secrets/key'],
  ['**/**/$$*/b', 'a/$$x/b'],
  ['$$*', 'a/$$x'],
  ['^^*', '^^x'],
])('a deny of %s holds for %s', (glob, denied) => {
  expect(compileDenies([glob]).match(denied)).toBe(glob);
});

// As one regular expression each of these takes from minutes to hours: the time limit of the runner would end the test.
test.each([
  ['*a*a*/*a*a*/b', `${'a'.repeat(250)}/${'a'.repeat(250)}/c`],
  ['*a*/*a*/*a*/*a*/*a*/b', `${'a'.repeat(250)}/`.repeat(5) + 'c'],
  ['**/a/**/a/**/a/**/b', `${'a/'.repeat(2000)}c`],
  ['**/*a*a*/**/*a*a*/**/b', `${'a'.repeat(250)}/`.repeat(15) + 'c'],
  ['@(a|b)/**/a/**/a/**/x', `${'a/'.repeat(2000)}c`],
])('a deny of %s is settled on a path made to be slow for it', (glob, made) => {
  expect(globCost(glob)).toBeUndefined();
  expect(compileDenies([glob]).match(made)).toBeUndefined();
});

test.each([
  '(**/a/**/a|x)/**/b',
  '{**/a/**/a/**/b,x}',
  '!(x)/*a*a*/b',
  '\\**/a/**/a/**/b',
  '**/**a/**/a/**/b',
  'x|**/a/**/a/**/b',
])('globCost() refuses %s, whose names cannot be told apart', (glob) => {
  expect(globCost(glob)).toEqual(expect.any(String));
});

test.each([
  '**/__tests__/**/*.?([mc])[jt]s?(x)',
  '**/src/**/*.@(j|t)?(s)',
  '**/{test,tests}/**/*.{,spec.}ts',
])('globCost() lets %s pass, which people write', (glob) => {
  expect(globCost(glob)).toBeUndefined();
  expect(splitByName(glob)).toBeDefined();
});

test('a deny of alternatives that span folders takes a path too deep to tell for denied', () => {
  const denies = compileDenies(['{**/a/**/b,x/y}']);
  expect(['a/c/b', 'x/y', `${'a/'.repeat(150)}c`].map((one) => denies.match(one) !== undefined)).toEqual([
    true,
    true,
    false,
  ]);
  expect(denies.match(`${'a/'.repeat(2000)}c`)).toBe('{**/a/**/b,x/y}');
});
