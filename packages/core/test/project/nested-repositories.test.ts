import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { findNestedRepositories } from '../../src/project/nested-repositories.js';
import { Scope } from '../../src/scope/scope.js';
import type { ScopeRules } from '../../src/scope/gate/rules.js';
import { connectAsked, makeTree } from '../workspace/scripted-client.js';

async function scopeOver(path: string, rules: ScopeRules = {}): Promise<Scope> {
  const { workspace, client } = await connectAsked();
  await client.answer([path]);
  return new Scope({ roots: workspace.snapshot().roots, rules });
}

describe('findNestedRepositories()', () => {
  test('finds clones, submodules and worktrees below a directory, and not the directory itself', async () => {
    const tree = makeTree('root/.git/modules/x/.git', 'root/clone/.git/objects', 'root/libs/group/deep/.git');
    mkdirSync(tree('root/sub'));
    writeFileSync(tree('root/sub/.git'), 'gitdir: ../.git/modules/sub\n');
    const found = await findNestedRepositories(await scopeOver(tree('root')), tree('root'));
    expect(found.paths).toEqual([tree('root/clone'), tree('root/libs/group/deep'), tree('root/sub')]);
    expect(found.complete).toBe(true);
  });

  test('passes over what is installed, linked from elsewhere or denied', async () => {
    const tree = makeTree('root/node_modules/p/.git', 'root/secret/.git', 'outside/.git');
    symlinkSync(tree('outside'), tree('root/link'));
    const scope = await scopeOver(tree('root'), { deny: ['secret'] });
    expect((await findNestedRepositories(scope, tree('root'))).paths).toEqual([]);
  });

  test('gives up when its budget is spent, and says so', async () => {
    const tree = makeTree('root/a', 'root/b', 'root/c', 'root/d');
    const found = await findNestedRepositories(await scopeOver(tree('root')), tree('root'), { budget: 3 });
    expect(found).toMatchObject({ complete: false, seen: 3 });
  });

  test('stops when told to', async () => {
    const tree = makeTree('root');
    const scope = await scopeOver(tree('root'));
    const looking = findNestedRepositories(scope, tree('root'), { signal: AbortSignal.abort() });
    await expect(looking).rejects.toThrow('aborted');
  });
});
