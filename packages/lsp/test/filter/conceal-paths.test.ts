import { beforeEach, expect, test } from 'vitest';
import { concealPaths } from '../../src/filter/conceal-paths.js';
import type { Folder } from '../fixtures/folder.js';
import { openFolders } from '../fixtures/live-workspace.js';
import { pathToFileUri, type Workspace } from '@rootward/core';

let home: Folder;
let workspace: Workspace;

beforeEach(async () => {
  ({ home, workspace } = await openFolders({ 'in/a.ts': '', 'out/b.ts': '' }, 'in'));
});

test('concealPaths() takes out paths that lead out of scope and keeps the others', () => {
  const text = [
    `module "${home.at('out/b')}"`,
    `import('${home.at('in/a.ts')}').A`,
    home.at('out/b.ts'),
    `see [b](${pathToFileUri(home.at('out/b.ts'))}#L3) or /users/:id`,
  ].join('\n');
  expect(concealPaths(workspace.scope(), text)).toBe(
    [
      'module "(outside the roots)"',
      `import('${home.at('in/a.ts')}').A`,
      '(outside the roots)',
      'see [b]((outside the roots)) or /users/:id',
    ].join('\n'),
  );
});

test.each([
  [
    'in a sentence',
    (out: string) => `defined in ${out}, not here`,
    'defined in (outside the roots), not here',
  ],
  ['with a line', (out: string) => `at ${out}:12:3.`, 'at (outside the roots):12:3.'],
  ['in brackets', (out: string) => `(${out})`, '((outside the roots))'],
  ['in a list', (out: string) => `[${out}, x]`, '[(outside the roots), x]'],
  ['after a colon', (out: string) => `path:${out}`, 'path:(outside the roots)'],
  ['that leads up', (out: string) => out.replace('/out/', '/in/../out/'), '(outside the roots)'],
  ['with two slashes', (out: string) => `at /${out} and`, 'at (outside the roots) and'],
  ['behind an option', (out: string) => `unused: -I${out} here`, 'unused: -I(outside the roots) here'],
  ['behind a long option', (out: string) => `'-isystem${out}'`, "'-isystem(outside the roots)'"],
  [
    'behind an equals sign',
    (out: string) => `--sysroot=${out} file=${out}`,
    '--sysroot=(outside the roots) file=(outside the roots)',
  ],
  ['in colour', (out: string) => `\u001B[1;31m${out}\u001B[0m`, '\u001B[1;31m(outside the roots)\u001B[0m'],
  ['in code', (out: string) => `typeof import("${out}")`, 'typeof import("(outside the roots)")'],
])('concealPaths() takes out a path %s', (_, write, expected) => {
  expect(concealPaths(workspace.scope(), write(home.at('out/b.ts')))).toBe(expected);
});

test('concealPaths() takes out a path with blanks as a whole, and keeps one that is in scope', () => {
  home.write({ 'out/a b/c d.py': '', 'in/a b/c d.py': '' });
  const text = (root: string): string =>
    `from ${home.at(root, 'a b/c d.py')} and module "${home.at(root, 'a b/e f')}" or so`;
  expect(concealPaths(workspace.scope(), text('out'))).toBe(
    'from (outside the roots) and module "(outside the roots)" or so',
  );
  expect(concealPaths(workspace.scope(), text('in'))).toBe(text('in'));
});

test('concealPaths() lets no path out in the wake of one that is in scope', () => {
  const [inside, outside] = [home.at('in/a.ts'), home.at('out/b.ts')];
  expect(concealPaths(workspace.scope(), `[${inside}, ${outside}] "${inside}; ${outside}"`)).toBe(
    `[${inside}, (outside the roots)] "${inside}; (outside the roots)"`,
  );
});

test.each([':', '=', ',', ';', '&', '@', '#', '?', '!'])(
  'concealPaths() takes out a path that follows one in scope after %j',
  (between) => {
    const [inside, outside] = [home.at('in/a.ts'), home.at('out/b.ts')];
    const [insideUri, outsideUri] = [pathToFileUri(inside), pathToFileUri(outside)];
    for (const first of [inside, insideUri]) {
      for (const second of [outside, outsideUri]) {
        const text = `-x${between}${first}${between}${second} end`;
        const shown = concealPaths(workspace.scope(), text);
        expect(shown).toBe(`-x${between}${first}${between}(outside the roots) end`);
      }
    }
  },
);

test('concealPaths() keeps a path in scope whose name holds what may stand between two', () => {
  home.write({ 'in/a:/b=/c@/d.ts': '' });
  const text = `at ${home.at('in/a:/b=/c@/d.ts')}:3`;
  expect(concealPaths(workspace.scope(), text)).toBe(text);
});

test('concealPaths() follows relative paths behind an option', () => {
  const shown = concealPaths(workspace.scope(), '-I../out -I../in', { file: home.at('in/a.ts') });
  expect(shown).toBe('-I(outside the roots) -I../in');
});

test.each([
  'GET /users/:id',
  'and/or, text/html, src/tmp/x, -x/y, a -b/tmp/2, -src/lib/none.ts, --no-such/tmp',
  'https://example.org/-a/tmp/x, /-i/tmp/ and s/-e/tmp/g',
  'either/or, 1/2, ./tmp/x, ../tmp/x, ~/tmp/x',
  'https://example.org/tmp/x',
  '/* tmp */ // tmp',
  '</tmpl> a / b',
  'separator "/" or (/)',
  '//nothing-there https://tmp/x',
])('concealPaths() leaves %j alone', (text) => {
  expect(concealPaths(workspace.scope(), text)).toBe(text);
});

test('concealPaths() follows relative paths from the file they are about', () => {
  const text = 'import("../out/b") import("./a") ../out/b.ts: ../in/a.ts';
  expect(concealPaths(workspace.scope(), text, { file: home.at('in/a.ts') })).toBe(
    'import("(outside the roots)") import("./a") (outside the roots): ../in/a.ts',
  );
});

test('concealPaths() leaves what a file in scope says itself', () => {
  const path = home.at('out/b.ts');
  expect(concealPaths(workspace.scope(), `Reads ${path}.`, { sources: [`/** Reads ${path}. */`] })).toBe(
    `Reads ${path}.`,
  );
});

test('concealPaths() takes out a URI with brackets as a whole', () => {
  const uri = pathToFileUri(home.at('out/(1)/deep/b.ts'));
  expect(uri).toContain('(1)');
  expect(concealPaths(workspace.scope(), `[b](${uri}) and more`)).toBe('[b]((outside the roots)) and more');
});

test('concealPaths() keeps all of a text of ordinary length', () => {
  const text = 'ordinary words. '.repeat(250);
  expect(concealPaths(workspace.scope(), text)).toBe(text);
});

test('concealPaths() cuts a text that is little else than paths', () => {
  const text = `${'/q '.repeat(20)}${home.at('out/b.ts')}`;
  expect(concealPaths(workspace.scope(), text, { maxChars: 200 })).toBe(`${'/q '.repeat(10)}…`);
});

test('concealPaths() takes out a path that a cut goes through', () => {
  const start = 'word '.repeat(799);
  home.write({ 'out/a b/c d.py': '' });
  const text = `${start}${home.at('out/a b/c d.py')} and what follows`;
  expect(concealPaths(workspace.scope(), text)).toBe(`${start}(outside the roots)…`);
});

test.each([
  '/',
  '.',
  '"',
  './',
  '../',
  '/a ',
  ',/',
  '"/',
  '/tmp ',
  `/${'.'.repeat(4_000)}x `,
  `/a${':1'.repeat(2_000)}x `,
  '-',
  '-I/',
  '-I/tmp ',
  '-I/tmp/x ',
  '=/',
  ':/',
  '/tmp:',
  '\u001B[',
  '\u001B[0m/',
  'file://',
  'file:///tmp=',
  'file://(',
  `-${'a'.repeat(30)}/`,
])('concealPaths() cuts a megabyte of %j short', (part) => {
  const text = part.repeat(1_000_000 / part.length);
  const source = 'x'.repeat(100_000);
  const shown = concealPaths(workspace.scope(), text, { file: home.at('in/a.ts'), sources: [source] });
  // Without a limit the worst of these take minutes: the time limit of the runner would end the test.
  expect(shown.length).toBeLessThan(10_000);
});
