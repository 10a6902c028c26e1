import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { GitFacts } from '../../src/trees/linked-trees.js';
import { makeTree } from '../workspace/scripted-client.js';
import { git, makeRepository } from '../../../../testing/git.js';

const topsOf = (repository: string): readonly string[] =>
  new GitFacts()
    .linkedTrees(repository, () => true)
    .map(({ top }) => top)
    .toSorted();

test('GitFacts.linkedTrees() follows worktrees that are added, moved and removed', () => {
  const tree = makeTree();
  makeRepository(tree('main'));
  expect(topsOf(tree('main'))).toEqual([]);
  const before = Date.now() - 1000;
  git(tree('main'), 'worktree', 'add', tree('a'));
  git(tree('main'), 'worktree', 'add', tree('b'));
  expect(topsOf(tree('main'))).toEqual([tree('a'), tree('b')]);
  for (const { addedAt, usedAt } of new GitFacts().linkedTrees(tree('main'), () => true)) {
    expect(addedAt).toBeGreaterThan(before);
    expect(usedAt).toBeGreaterThan(before);
  }
  git(tree('main'), 'worktree', 'move', tree('a'), tree('c'));
  git(tree('main'), 'worktree', 'remove', tree('b'));
  expect(topsOf(tree('main'))).toEqual([tree('c')]);
  expect(new GitFacts().linkedTrees(tree('main'), () => false)).toEqual([]);
});

test('GitFacts.linkedTrees() leaves out what the worktree does not confirm', () => {
  const tree = makeTree('victim');
  makeRepository(tree('main'));
  const entry = join(tree('main'), '.git', 'worktrees', 'forged');
  mkdirSync(entry, { recursive: true });
  writeFileSync(join(entry, 'gitdir'), `${tree('victim')}/.git\n`);
  expect(topsOf(tree('main'))).toEqual([]);
  git(tree('main'), 'worktree', 'add', tree('honest'));
  symlinkSync(join(tree('honest'), '.git'), join(tree('victim'), '.git'));
  expect(topsOf(tree('main'))).toEqual([tree('honest')]);
});

test('GitFacts.linkedTrees() knows the worktrees of a bare repository', () => {
  const tree = makeTree();
  makeRepository(tree('origin'));
  git(tree('origin'), 'clone', '--bare', tree('origin'), tree('bare.git'));
  git(tree('bare.git'), 'worktree', 'add', tree('w'));
  expect(topsOf(tree('bare.git'))).toEqual([tree('w')]);
});

test('GitFacts.linkedTreeOf() finds the worktree around a clone, and tells a mere claim', () => {
  const tree = makeTree('plain', 'liar');
  makeRepository(tree('main'));
  git(tree('main'), 'worktree', 'add', tree('w'));
  makeRepository(tree('w/vendor/clone'));
  const expected = { top: tree('w'), path: tree('main') };
  expect(new GitFacts().linkedTreeOf(tree('w/vendor/clone'))).toEqual(expected);
  expect(new GitFacts().linkedTreeOf(tree('w'))).toEqual(expected);
  expect(new GitFacts().linkedTreeOf(tree('main'))).toBeUndefined();
  expect(new GitFacts().linkedTreeOf(tree('plain'))).toBeUndefined();
  writeFileSync(join(tree('liar'), '.git'), `gitdir: ${tree('main')}/.git/worktrees/w\n`);
  expect(new GitFacts().linkedTreeOf(tree('liar'))).toBe('unconfirmed');
});

test('GitFacts.canonical() resolves links, and knows nothing of files, relative or missing paths', () => {
  const tree = makeTree('folder');
  symlinkSync(tree('folder'), tree('link'));
  writeFileSync(tree('file'), '');
  expect(new GitFacts().canonical(tree('link'))).toBe(tree('folder'));
  expect([tree('file'), tree('missing'), 'folder'].map((path) => new GitFacts().canonical(path))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
