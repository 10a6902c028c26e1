import { symlinkSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { SourcesOptions } from '../../src/sources/read-sources.js';
import { makeTree } from '../workspace/scripted-client.js';
import { pathsOf, readFrom, statementOf } from './read-from.js';

async function readPwd(PWD: string, home = '/nowhere/home') {
  return statementOf(await readFrom({ home, environment: { PWD } }), 'cwd');
}

async function read(cwd: string, PWD: string | undefined, more: Partial<SourcesOptions> = {}) {
  const environment = PWD === undefined ? {} : { PWD };
  return statementOf(await readFrom({ cwd, environment, ...more }), 'cwd');
}

test('the process directory counts, whatever PWD says', async () => {
  const tree = makeTree('open', 'closed');
  const reading = await read(tree('open'), tree('closed'));
  expect(reading).toMatchObject({
    roots: [{ path: tree('open'), source: 'cwd' }],
    detail: `the process directory is ${tree('open')}`,
  });
  expect(pathsOf(await read(tree('open'), undefined))).toEqual([tree('open')]);
});

test('the process directory is not said to be what a ceiling leaves of it', async () => {
  const tree = makeTree('open/inner');
  const reading = await read(tree('open'), undefined, { within: [tree('open/inner')] });
  expect(pathsOf(reading)).toEqual([tree('open/inner')]);
  expect(reading.detail).toBe(`the process directory gives ${tree('open/inner')}`);
});

test('PWD gives the spelling where it names the same object', async () => {
  const tree = makeTree('real');
  symlinkSync(tree('real'), tree('link'));
  const reading = await read(tree('real'), tree('link'));
  expect(reading.roots).toMatchObject([{ path: tree('real'), declared: tree('link') }]);
});

test('PWD counts where the process directory cannot be used, and passes the same checks', async () => {
  const tree = makeTree('app', 'app/node_modules/x');
  expect(pathsOf(await read('/', tree('app')))).toEqual([tree('app')]);
  expect(pathsOf(await read(tree('app/node_modules/x'), tree('app')))).toEqual([tree('app')]);
  const neither = await read('/', tree('app/node_modules/x'));
  expect(neither.roots).toEqual([]);
  expect(neither.detail).toContain('lies inside node_modules');
  expect((await read('/', undefined)).rejected).toMatchObject([{ reason: 'too-broad' }]);
});

test('the folder of the running program is no hint, nor what is in it', async () => {
  const tree = makeTree('server/dist', 'server-notes');
  const program = tree('server');
  for (const folder of ['server', 'server/dist']) {
    expect(pathsOf(await read(tree(folder), undefined, { program }))).toEqual([]);
  }
  expect(pathsOf(await read(tree('server-notes'), undefined, { program }))).toEqual([tree('server-notes')]);
});

test('hints can be switched off', async () => {
  const tree = makeTree('a');
  const environment = { PWD: tree('a'), CLAUDE_PROJECT_DIR: tree('a') };
  const sources = await readFrom({ cwd: tree('a'), environment, hints: false });
  expect(sources.hints).toEqual([]);
});

test('an absolute existing PWD is a hint where the process directory is not known', async () => {
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
