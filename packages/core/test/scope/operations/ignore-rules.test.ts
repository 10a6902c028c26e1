import { describe, expect, test } from 'vitest';
import { chmodSync, symlinkSync } from 'node:fs';
import { IgnoreRules, isRepositoryData } from '../../../src/scope/operations/ignore-rules.js';
import type { Scope } from '../../../src/scope/scope.js';
import { platforms, scopeOf, useTree, type TreeContent } from '../fixture.js';
import { asOrdinaryUser } from '../ordinary-user.js';

const tree = useTree();

async function seen(scope: Scope, path = '.'): Promise<string[]> {
  const files: string[] = [];
  for await (const entry of scope.walk(path, { gitignore: true })) {
    if (entry.kind !== 'directory' && entry.name !== '.gitignore') files.push(entry.relative);
  }
  return files.sort();
}

test('IgnoreRules.ignores() lets the deepest file with an opinion decide', () => {
  const top = new IgnoreRules(undefined, '', '*.log\n');
  const below = new IgnoreRules(top, 'sub', '!keep.log\n');
  expect(top.ignores('a.log', false)).toBe(true);
  expect(below.ignores('sub/keep.log', false)).toBe(false);
  expect(below.ignores('sub/a.log', false)).toBe(true);
  expect(below.ignores('sub/a.txt', false)).toBe(false);
});

test('IgnoreRules leaves out lines that would take long, and those after the 2,000th', () => {
  const starry = new IgnoreRules(undefined, '', '*a*a*a*a*b\nplain\n**/*.o\n');
  expect(starry.ignores('aaaab', false)).toBe(false);
  expect(['plain', 'x/y.o'].map((path) => starry.ignores(path, false))).toEqual([true, true]);
  const lines = Array.from({ length: 2001 }, (_, index) => `# comment\n\nname-${index}`).join('\n');
  const long = new IgnoreRules(undefined, '', lines);
  expect(['name-1999', 'name-2000'].map((path) => long.ignores(path, false))).toEqual([true, false]);
});

test('isRepositoryData() means .git and nothing similar', () => {
  expect(['.git', '.gitignore', 'git', '.github'].filter(isRepositoryData)).toEqual(['.git']);
});

interface Case {
  readonly name: string;
  readonly content: TreeContent;
  readonly expected: readonly string[];
}

const CASES: readonly Case[] = [
  {
    name: 'a name at any depth',
    content: { '.gitignore': '*.log\n', 'a.log': '', 'a.txt': '', sub: { 'b.log': '', 'b.txt': '' } },
    expected: ['a.txt', 'sub/b.txt'],
  },
  {
    name: 'a negation after a pattern',
    content: { '.gitignore': '*.log\n!keep.log\n', 'a.log': '', 'keep.log': '', sub: { 'keep.log': '' } },
    expected: ['keep.log', 'sub/keep.log'],
  },
  {
    name: 'no negation below an ignored folder, as in git',
    content: { '.gitignore': 'build/\n!build/keep.txt\n', build: { 'keep.txt': '' }, 'a.txt': '' },
    expected: ['a.txt'],
  },
  {
    name: 'an anchored pattern only where the file is',
    content: {
      '.gitignore': '/a.txt\nsub/b.txt\n',
      'a.txt': '',
      sub: { 'a.txt': '', 'b.txt': '', sub: { 'b.txt': '' } },
    },
    expected: ['sub/a.txt', 'sub/sub/b.txt'],
  },
  {
    name: 'a folder-only pattern for folders only',
    content: { '.gitignore': 'build/\n', one: { build: { 'a.txt': '' } }, two: { build: '' } },
    expected: ['two/build'],
  },
  {
    name: 'an ignore file of a folder, for that folder only',
    content: {
      sub: { '.gitignore': '/a.txt\n*.log\n', 'a.txt': '', deep: { 'a.txt': '', 'x.log': '' } },
      'a.txt': '',
      'x.log': '',
    },
    expected: ['a.txt', 'sub/deep/a.txt', 'x.log'],
  },
  {
    name: 'a nested negation of what a folder above ignores',
    content: { '.gitignore': '*.log\n', sub: { '.gitignore': '!*.log\n', 'a.log': '' }, 'b.log': '' },
    expected: ['sub/a.log'],
  },
  {
    name: 'no rules across the border of a repository',
    content: {
      '.gitignore': '*.log\n',
      inner: { '.git': { HEAD: '' }, 'a.log': '' },
      worktree: { '.git': 'gitdir: x', 'b.log': '' },
      'c.log': '',
    },
    expected: ['inner/a.log', 'worktree/b.log'],
  },
  {
    name: '.git, folder or file, without being told',
    content: {
      '.git': { config: '' },
      sub: { '.git': 'gitdir: x', 'a.txt': '' },
      '.github': { 'b.yml': '' },
    },
    expected: ['.github/b.yml', 'sub/a.txt'],
  },
  {
    name: 'files written with CRLF, comments, a byte order mark and escapes',
    content: {
      '.gitignore': '\uFEFFa.txt\r\n# b.txt\r\n\\#c\r\n\r\nd d\\ \r\n',
      'a.txt': '',
      'b.txt': '',
      '#c': '',
      'd d ': '',
    },
    expected: ['b.txt'],
  },
];

describe.each(platforms)('Scope.walk() with ignore files on the %s platform', (_name, platform) => {
  const scope = (): Scope => scopeOf(tree().inside, { platform });

  test.each(CASES)('obeys $name', async ({ content, expected }) => {
    tree().make(content);
    expect(await seen(scope())).toEqual(expected);
  });

  test('obeys the files above the folder it starts in, up to the root', async () => {
    tree().make({
      '.gitignore': '*.log\n/sub/deep/a.txt\n',
      sub: { '.gitignore': 'b.txt\n', deep: { 'a.txt': '', 'b.txt': '', 'c.log': '', 'd.txt': '' } },
    });
    expect(await seen(scope(), 'sub/deep')).toEqual(['d.txt']);
  });

  test('walks an ignored folder that was asked for by name', async () => {
    tree().make({ '.gitignore': 'vendor/\n*.log\n', vendor: { 'a.txt': '', deep: { 'b.txt': '' } } });
    expect(await seen(scope(), 'vendor')).toEqual(['a.txt', 'deep/b.txt']);
  });

  test('does not read ignore files outside the root', async () => {
    tree().make({ '.gitignore': '*.txt\n' }, tree().base);
    tree().make({ 'a.txt': '' });
    expect(await seen(scope())).toEqual(['a.txt']);
  });

  test('does not follow a link in place of an ignore file, nor read a folder of that name', async () => {
    tree().make({ rules: '*.txt\n' }, tree().outside);
    tree().make({ one: { 'a.txt': '' }, two: { 'a.txt': '', '.gitignore': { 'x.md': '' } } });
    symlinkSync(tree().out('rules'), tree().in('one/.gitignore'));
    expect(await seen(scope())).toEqual(['one/a.txt', 'two/.gitignore/x.md', 'two/a.txt']);
  });

  test('passes over an ignore file that is too large to be one', async () => {
    tree().make({ '.gitignore': `*.txt\n${'#'.repeat(1024 * 1024)}\n`, 'a.txt': '' });
    expect(await seen(scope())).toEqual(['a.txt']);
  });

  test.runIf(process.getuid !== undefined)('passes over an ignore file it may not read', async () => {
    tree().make({ '.gitignore': '*.txt\n', 'a.txt': '' });
    chmodSync(tree().in('.gitignore'), 0o000);
    expect(await asOrdinaryUser(tree(), () => seen(scope()))).toEqual(['a.txt']);
  });

  test('without the option tells everything, .git included', async () => {
    tree().make({ '.gitignore': '*', '.git': { HEAD: '' }, 'a.txt': '' });
    const names: string[] = [];
    for await (const entry of scope().walk('.')) names.push(entry.relative);
    expect(names.sort()).toEqual(['.git', '.git/HEAD', '.gitignore', 'a.txt']);
  });
});
