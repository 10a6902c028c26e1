import { symlinkSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { makeTree } from '../workspace/scripted-client.js';
import { pathsOf, readFrom, statementOf } from './read-from.js';

test('flag roots are canonical, in order, and relative ones are below the given directory', async () => {
  const tree = makeTree('a', 'b/c');
  symlinkSync(tree('a'), tree('link'));
  const sources = await readFrom({ roots: ['b/c', tree('link'), '.'], directory: tree('') });
  const flag = statementOf(sources, 'flag');
  expect(pathsOf(flag)).toEqual([tree('b/c'), tree('a'), tree('').replace(/\/$/, '')]);
  expect(flag.roots.every((root) => root.source === 'flag')).toBe(true);
});

test('a single file can be a flag root', async () => {
  const tree = makeTree('a');
  writeFileSync(tree('a/notes.txt'), '');
  const sources = await readFrom({ roots: [tree('a/notes.txt')] });
  expect(statementOf(sources, 'flag').roots[0]).toMatchObject({ kind: 'file', path: tree('a/notes.txt') });
});

test.each([
  ['missing', (tree: (name: string) => string) => tree('missing'), 'not-found'],
  ['relative without a directory to be relative to', () => 'some/where', 'not-absolute'],
  ['not expanded', () => '${workspaceFolder}/src', 'unexpanded'],
  ['empty', () => '', 'malformed'],
])('a flag root that is %s fails fast, naming the path', async (_, pathOf, code) => {
  const tree = makeTree('a');
  const path = pathOf(tree);
  const reading = readFrom({ roots: [tree('a'), path] });
  await expect(reading).rejects.toMatchObject({
    name: 'RootwardError',
    code,
    path,
    instruction: expect.stringContaining('correct what this server was started with') as string,
  });
  await expect(reading).rejects.toThrow('--root');
  await expect(reading).rejects.toThrow(`"${path}"`);
});

test('a flag root beside the ceiling fails fast as outside-ceiling', async () => {
  const tree = makeTree('a', 'b');
  await expect(readFrom({ roots: [tree('b')], within: [tree('a')] })).rejects.toMatchObject({
    code: 'outside-ceiling',
    path: tree('b'),
  });
});

test('naming a flag root twice is harmless', async () => {
  const tree = makeTree('a');
  const sources = await readFrom({ roots: [tree('a'), `${tree('a')}/`] });
  expect(pathsOf(statementOf(sources, 'flag'))).toEqual([tree('a')]);
});

test('a broad flag root is accepted and marked', async () => {
  const sources = await readFrom({ roots: ['/'] });
  expect(statementOf(sources, 'flag').roots[0]).toMatchObject({ path: '/', broad: true });
});

test('what is given by another name than --root is called by it', async () => {
  const tree = makeTree('a');
  const origins = { roots: '--folder', within: '--limit', project: '--home' };
  expect(statementOf(await readFrom({ roots: [tree('a')], origins }), 'flag').detail).toBe(
    `--folder names ${tree('a')}`,
  );
  await expect(readFrom({ roots: [tree('missing')], origins })).rejects.toThrow('given by --folder');
  const none = await readFrom({ origins });
  expect(statementOf(none, 'flag').detail).toBe('--folder not given');
  expect(statementOf(none, 'project').detail).toBe('--home not given');
  expect(none.fallback.detail).toBe('--limit not given');
});
