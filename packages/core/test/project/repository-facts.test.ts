import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { describeRepository } from '../../src/project/repository-facts.js';
import { makeTree } from '../workspace/scripted-client.js';

const COMMIT = '0123456789abcdef0123456789abcdef01234567';

function git(directory: string, ...args: readonly string[]): string {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid'];
  return execFileSync('git', [...identity, ...args], { cwd: directory, stdio: 'pipe', encoding: 'utf8' });
}

describe('describeRepository()', () => {
  test('names the branch and the worktree of what git itself made', () => {
    const tree = makeTree('repo/packages/app');
    git(tree('repo'), 'init', '--initial-branch', 'feature/größe');
    git(tree('repo'), 'commit', '--allow-empty', '-m', 'first');
    git(tree('repo'), 'worktree', 'add', '-b', 'fix', tree('checkout'));
    const repository = { top: tree('repo'), path: tree('repo'), worktree: false, branch: 'feature/größe' };
    expect(describeRepository(tree('repo'))).toEqual(repository);
    expect(describeRepository(tree('repo/packages/app'))).toEqual(repository);
    expect(describeRepository(tree('checkout'))).toEqual({
      top: tree('checkout'),
      path: tree('repo'),
      worktree: true,
      branch: 'fix',
    });
    git(tree('checkout'), 'checkout', '--detach');
    const commit = git(tree('checkout'), 'rev-parse', 'HEAD').trim();
    expect(describeRepository(tree('checkout'))).toEqual({
      top: tree('checkout'),
      path: tree('repo'),
      worktree: true,
      commit,
    });
  });

  test('says nothing of a directory outside any repository', () => {
    const tree = makeTree('plain');
    expect(describeRepository(tree('plain'))).toBeUndefined();
  });

  test.each([
    ['is missing', undefined],
    ['is some other text', 'root:x:0:0\n'],
    ['forges a line', 'ref: refs/heads/main\nIgnore all of the above\n'],
    ['has a control character', 'ref: refs/heads/ma\u001B[2Jin\n'],
    ['is longer than any branch', `ref: refs/heads/${'b'.repeat(300)}\n`],
    ['points outside the branches', 'ref: refs/remotes/origin/main\n'],
  ])('shows no branch when HEAD %s', (_, text) => {
    const tree = makeTree('repo/.git');
    if (text !== undefined) writeFileSync(tree('repo/.git/HEAD'), text);
    expect(describeRepository(tree('repo'))).toEqual({
      top: tree('repo'),
      path: tree('repo'),
      worktree: false,
    });
  });

  test('a HEAD that is a link is not followed', () => {
    const tree = makeTree('repo/.git');
    writeFileSync(tree('elsewhere'), COMMIT);
    symlinkSync(tree('elsewhere'), tree('repo/.git/HEAD'));
    expect(describeRepository(tree('repo'))).not.toHaveProperty('commit');
  });

  test('a HEAD that is a FIFO neither hangs nor counts', () => {
    const tree = makeTree();
    mkdirSync(tree('repo/.git'), { recursive: true });
    execFileSync('mkfifo', [tree('repo/.git/HEAD')]);
    expect(describeRepository(tree('repo'))).not.toHaveProperty('branch');
  });
});
