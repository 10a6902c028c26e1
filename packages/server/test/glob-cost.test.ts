import picomatch from 'picomatch';
import { expect, test } from 'vitest';
import { checkRules } from '../src/configuration/workspace-rules.js';
import { globCost } from '../src/glob-cost.js';
import { makeTree } from './fixtures/temp-tree.js';
import { connectTools, reportOf } from './fixtures/tools-client.js';

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

test('tools and rules refuse globs that would hold up everything else', async () => {
  const tree = makeTree({ [`in/${'a'.repeat(200)}`]: 'needle' });
  const { call, close } = await connectTools({ roots: [tree.uri('in')] });
  for (const glob of COSTLY) {
    const calls = [
      call('search_files', { path: '.', pattern: glob }),
      call('search_files', { path: '.', pattern: '*', excludePatterns: [glob] }),
      call('search_content', { pattern: 'needle', glob }),
      call('directory_tree', { path: '.', excludePatterns: [glob] }),
    ];
    for (const result of await Promise.all(calls)) {
      expect(reportOf(result)).toMatchObject({ error_type: 'invalid_option' });
    }
    expect(checkRules({ deny: [glob] })).toEqual({ problem: expect.any(String) as unknown });
    expect(checkRules({ categories: { docs: { patterns: [glob] } } })).toEqual({
      problem: expect.any(String) as unknown,
    });
  }
  await close();
});
