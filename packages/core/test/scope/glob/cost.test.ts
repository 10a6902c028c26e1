import picomatch from 'picomatch';
import { expect, test } from 'vitest';
import { compileDenies } from '../../../src/scope/gate/deny.js';
import { globCost } from '../../../src/scope/glob/cost.js';

const COSTLY = [
  '*a*a*a*a*a*b',
  '[a]+[a]+[a]+[a]+b',
  `${'{a,a}'.repeat(30)}b`,
  `${'?(a)'.repeat(30)}b`,
  '+(a|aa)b',
  '(a+)+b',
  '{a,aa}+b',
  '!(x)!(x)!(x)!(x)!(x)b',
  '{**,x}/{**,x}/{**,x}/{**,x}/{**,x}/b',
  `{${Array.from('bcdefghijklmnopqrstuvwxyz', (letter) => `*a*a*${letter}`).join(',')}}`,
  // Here the brackets are plain characters, and the stars all in one name.
  '\\{*a,*a,*a,*a,*b\\}',
  '[{]*a,*a,*a,*a,*b[}]',
  '"{*a,*a,*a,*a,*b}"',
  '{*a|*a|*a|*a|*b}',
  '{*a,*a,*a,*a,*b)',
  '**/a/**/a/**/a/**/a/**/b',
];

test.each(COSTLY)('globCost() refuses %s', (glob) => {
  expect(globCost(glob)).toEqual(expect.any(String));
});

test.each([
  '*.ts',
  '**/*.{ts,tsx,js,jsx,mjs,cjs,json,md}',
  '{packages,examples}/*/src/**/*.test.*',
  '**/node_modules/**',
  '@(src|lib)/**/!(index).ts',
  '*.c++',
  '{*.ts,*.tsx,*.js,*.jsx,*.mjs,*.[ch]}',
  '{**/node_modules/**,**/dist/**,**/.git/**,**/*.min.js}',
  '**/!(*.test|*.spec|*.d|*.stories).ts',
  '@(test|spec)*.ts',
  'src/**/test/**/*-*-*.{ts,tsx,js,jsx,mjs,cjs}',
])('globCost() lets %s through, which takes no time on names made for it', (glob) => {
  expect(globCost(glob)).toBeUndefined();
  expect(picomatch(glob, { dot: true })(`${'a.'.repeat(120)}/${'src/'.repeat(200)}x`)).toBe(false);
});

test.each(COSTLY)('a deny of %s is refused', (glob) => {
  expect(() => compileDenies([glob])).toThrow('Cannot read the deny pattern');
});

test('a deny may have a star in each of many alternatives', () => {
  const denies = compileDenies(['{*.pem,*.key,*.p12,*.pfx}']);
  expect(['a.pem', 'deep/b.pfx', 'c.txt'].map((path) => denies.match(path))).toEqual([
    '{*.pem,*.key,*.p12,*.pfx}',
    '{*.pem,*.key,*.p12,*.pfx}',
    undefined,
  ]);
});
