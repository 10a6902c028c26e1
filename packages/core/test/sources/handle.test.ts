import { renameSync, symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { expect, test } from 'vitest';
import { readHandle } from '../../src/sources/handle.js';
import { makeTree } from '../workspace/scripted-client.js';

const reading = { home: homedir() };

test('readHandle() does not follow a link that took the name of a root since', async () => {
  const tree = makeTree('given', 'kept', 'elsewhere');
  const entries = [{ path: tree('given') }, { path: tree('kept') }];
  expect((await readHandle(entries, reading)).roots).toHaveLength(2);
  renameSync(tree('given'), tree('moved'));
  symlinkSync(tree('elsewhere'), tree('given'), 'junction');
  const { roots, rejected } = await readHandle(entries, reading);
  expect(roots.map(({ path }) => path)).toEqual([tree('kept')]);
  expect(rejected).toMatchObject([{ declared: tree('given'), source: 'handle', reason: 'not-found' }]);
});

test('readHandle() keeps a root that such a link leads to', async () => {
  const tree = makeTree('given', 'kept');
  const entries = [{ path: tree('given') }, { path: tree('kept'), name: 'Kept' }];
  renameSync(tree('given'), tree('moved'));
  symlinkSync(tree('kept'), tree('given'), 'junction');
  const { roots, rejected } = await readHandle(entries, reading);
  expect(roots).toMatchObject([{ path: tree('kept'), name: 'Kept' }]);
  expect(rejected).toMatchObject([{ declared: tree('given'), reason: 'not-found' }]);
});

test('readHandle() fails when nothing else is left, and does not become the ceiling', async () => {
  const tree = makeTree('ceiling/given');
  const given = tree('ceiling/given');
  renameSync(given, tree('moved'));
  symlinkSync(tree('ceiling'), given, 'junction');
  await expect(
    readHandle([{ path: given }], { ...reading, ceiling: [tree('ceiling')] }),
  ).rejects.toMatchObject({
    code: 'not-found',
    message: expect.stringContaining('it leads somewhere else now') as unknown,
  });
});

test('readHandle() cuts a root to a ceiling inside it', async () => {
  const tree = makeTree('wide/a', 'wide/b');
  const { roots } = await readHandle([{ path: tree('wide') }], { ...reading, ceiling: [tree('wide/a')] });
  expect(roots.map(({ path }) => path)).toEqual([tree('wide/a')]);
});
