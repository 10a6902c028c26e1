import { execFileSync } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { projectOf } from '../../src/project/project.js';
import { findRepository } from '../../src/project/repository.js';
import { makeTree } from '../workspace/scripted-client.js';
import { git, makeRepository } from '../../../../testing/git.js';

const rootAt = (path: string) => ({ path, source: 'client' as const });

describe('findRepository()', () => {
  test('a repository is found at its top and below, also outside the roots', () => {
    const tree = makeTree('repo/packages/app');
    makeRepository(tree('repo'));
    expect(findRepository(tree('repo'))).toEqual({ top: tree('repo'), path: tree('repo') });
    expect(findRepository(tree('repo/packages/app'))).toEqual({ top: tree('repo'), path: tree('repo') });
  });

  test('a subdirectory of a repository is a project of its own, with the repository shown', () => {
    const tree = makeTree('repo/packages/app');
    makeRepository(tree('repo'));
    const project = projectOf(rootAt(tree('repo/packages/app')));
    expect(project).toMatchObject({ name: 'app', path: tree('repo/packages/app'), repository: tree('repo') });
    expect(project.id).not.toBe(projectOf(rootAt(tree('repo'))).id);
  });

  test("a worktree belongs to its main repository's project", () => {
    const tree = makeTree();
    makeRepository(tree('main-repo'));
    git(tree('main-repo'), 'worktree', 'add', tree('feature'));
    expect(findRepository(tree('feature'))).toEqual({ top: tree('feature'), path: tree('main-repo') });
    const main = projectOf(rootAt(tree('main-repo')));
    expect(projectOf(rootAt(tree('feature')))).toEqual({
      ...main,
      path: tree('feature'),
      repository: tree('main-repo'),
    });
  });

  test('a worktree of a bare repository is named after it', () => {
    const tree = makeTree();
    makeRepository(tree('origin'));
    git(tree(''), 'clone', '--bare', 'origin', 'tool.git');
    git(tree('tool.git'), 'worktree', 'add', tree('checkout'), 'main');
    expect(projectOf(rootAt(tree('checkout')))).toMatchObject({ name: 'tool', repository: tree('tool.git') });
  });

  test('a worktree with relative pointers is understood', () => {
    const tree = makeTree('feature', 'repo/.git/worktrees/feature');
    writeFileSync(tree('feature/.git'), 'gitdir: ../repo/.git/worktrees/feature\n');
    writeFileSync(tree('repo/.git/worktrees/feature/gitdir'), '../../../../feature/.git\n');
    expect(findRepository(tree('feature'))?.path).toBe(tree('repo'));
  });

  test('a hostile .git file that claims another repository is not believed', () => {
    const tree = makeTree('hostile');
    makeRepository(tree('victim'));
    git(tree('victim'), 'worktree', 'add', tree('honest'));
    writeFileSync(tree('hostile/.git'), readFileSync(tree('honest/.git')));
    expect(findRepository(tree('hostile'))).toBeUndefined();
    const project = projectOf(rootAt(tree('hostile')));
    expect(project.name).toBe('hostile');
    expect(project).not.toHaveProperty('repository');
  });

  test('a hostile folder cannot claim a repository through links of its own', () => {
    const tree = makeTree('hostile/fake/worktrees');
    makeRepository(tree('victim'));
    git(tree('victim'), 'worktree', 'add', tree('honest'));
    symlinkSync(tree('victim/.git/worktrees/honest'), tree('hostile/fake/worktrees/entry'));
    writeFileSync(tree('hostile/.git'), `gitdir: ${tree('hostile/fake/worktrees/entry')}\n`);
    expect(findRepository(tree('hostile'))).toBeUndefined();
    symlinkSync(tree('victim/.git'), tree('hostile/store'));
    writeFileSync(tree('hostile/.git'), `gitdir: ${tree('hostile/store/worktrees/honest')}\n`);
    expect(findRepository(tree('hostile'))).toBeUndefined();
  });

  test('a store outside worktrees is not believed, even when it points back', () => {
    const tree = makeTree('a', 'repo/.git/modules/a');
    writeFileSync(tree('a/.git'), `gitdir: ${tree('repo/.git/modules/a')}\n`);
    writeFileSync(tree('repo/.git/modules/a/gitdir'), `${tree('a/.git')}\n`);
    expect(findRepository(tree('a'))).toBeUndefined();
  });

  test("a .git that is a link to an honest worktree's does not pass for that worktree", () => {
    const tree = makeTree('hostile');
    makeRepository(tree('victim'));
    git(tree('victim'), 'worktree', 'add', tree('honest'));
    symlinkSync(tree('honest/.git'), tree('hostile/.git'));
    expect(findRepository(tree('honest'))?.path).toBe(tree('victim'));
    expect(findRepository(tree('hostile'))).toBeUndefined();
    expect(projectOf(rootAt(tree('hostile'))).name).toBe('hostile');
  });

  test('a .git that is a link to itself is no marker, and what lies above still counts', () => {
    const tree = makeTree('repo/inner');
    makeRepository(tree('repo'));
    symlinkSync('.git', tree('repo/inner/.git'));
    expect(findRepository(tree('repo/inner'))?.path).toBe(tree('repo'));
  });

  test.each([
    ['empty', ''],
    ['without a pointer', 'hello\n'],
    ['pointing nowhere', 'gitdir: /no/such/place/worktrees/x\n'],
    ['pointing at a submodule store', 'gitdir: ../.git/modules/x\n'],
    ['huge', `gitdir: ${'x'.repeat(100_000)}\n`],
  ])('a .git file that is %s claims nothing', (_, text) => {
    const tree = makeTree('a');
    writeFileSync(tree('a/.git'), text);
    expect(findRepository(tree('a'))).toBeUndefined();
  });

  test('a FIFO as back pointer neither hangs nor counts', () => {
    const tree = makeTree('a', 'repo/.git/worktrees/a');
    execFileSync('mkfifo', [join(tree('repo/.git/worktrees/a'), 'gitdir')]);
    writeFileSync(tree('a/.git'), `gitdir: ${tree('repo/.git/worktrees/a')}\n`);
    expect(findRepository(tree('a'))).toBeUndefined();
  });
});

test('looking at a repository runs no program', () => {
  const text = readFileSync(new URL('../../src/project/repository.ts', import.meta.url), 'utf8');
  expect(text).not.toContain('child_process');
});
