import { symlinkSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { makeTree } from '../workspace/scripted-client.js';
import { pathsOf, readFrom, statementOf } from './read-from.js';

async function readPwd(PWD: string, home = '/nowhere/home') {
  return statementOf(await readFrom({ home, environment: { PWD } }), 'pwd');
}

test('an absolute existing PWD is a hint', async () => {
  const tree = makeTree('work');
  expect(pathsOf(await readPwd(tree('work')))).toEqual([tree('work')]);
});

test.each(['.', '..', './foo', 'foo'])('a relative PWD (%s) is ignored', async (value) => {
  expect(await readPwd(value)).toMatchObject({ roots: [], rejected: [{ reason: 'not-absolute' }] });
});

test('a missing PWD is ignored', async () => {
  const tree = makeTree();
  expect(await readPwd(tree('missing'))).toMatchObject({ roots: [], rejected: [{ reason: 'not-found' }] });
});

test('PWD=/, the home directory and its ancestors are too broad', async () => {
  const tree = makeTree('users/me');
  for (const path of ['/', tree('users/me'), tree('users')]) {
    expect(await readPwd(path, tree('users/me'))).toMatchObject({
      roots: [],
      rejected: [{ reason: 'too-broad' }],
    });
  }
});

test.each([
  'app/node_modules/some-server',
  '.npm/_npx/0123abcd',
  '.cache/uv/archive',
  '.codex/plugins/cache/tool',
  '.claude/plugins/tool',
  'Library/Caches/pnpm',
])('a PWD inside node_modules, a package cache or a plugin cache is ignored (%s)', async (folder) => {
  const tree = makeTree(folder);
  const pwd = await readPwd(tree(folder));
  expect(pwd.roots).toEqual([]);
  expect(pwd.detail).toContain('lies inside');
});

test('a cache reached through a link is still the cache', async () => {
  const tree = makeTree('app/node_modules/server', 'elsewhere');
  symlinkSync(tree('app/node_modules/server'), tree('link'));
  expect((await readPwd(tree('link'))).roots).toEqual([]);
  symlinkSync(tree('elsewhere'), tree('app/node_modules/linked'));
  expect((await readPwd(tree('app/node_modules/linked'))).roots).toEqual([]);
});

test('a folder whose name merely contains such a word is fine', async () => {
  const tree = makeTree('my-node_modules-notes');
  expect((await readPwd(tree('my-node_modules-notes'))).roots).toHaveLength(1);
});

test('a PWD that is a file is ignored', async () => {
  const tree = makeTree();
  writeFileSync(tree('file'), '');
  expect((await readPwd(tree('file'))).roots).toEqual([]);
});
