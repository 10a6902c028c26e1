import { expect, test } from 'vitest';
import { makeTree } from '../workspace/scripted-client.js';
import { pathsOf, readFrom, statementOf } from './read-from.js';

async function readHost(environment: Record<string, string>) {
  return statementOf(await readFrom({ environment }), 'host');
}

test('CLAUDE_PROJECT_DIR names one path', async () => {
  const tree = makeTree('a,b');
  const host = await readHost({ CLAUDE_PROJECT_DIR: tree('a,b') });
  expect(pathsOf(host)).toEqual([tree('a,b')]);
  expect(host.detail).toBe(`CLAUDE_PROJECT_DIR names ${tree('a,b')}`);
});

test('WORKSPACE_FOLDER_PATHS with one path that contains a comma is one path', async () => {
  const tree = makeTree('a,b', 'a');
  expect(pathsOf(await readHost({ WORKSPACE_FOLDER_PATHS: tree('a,b') }))).toEqual([tree('a,b')]);
});

test('WORKSPACE_FOLDER_PATHS is a JSON list where no such path exists', async () => {
  const tree = makeTree('a,b', 'c');
  const value = JSON.stringify([tree('a,b'), tree('c'), 7]);
  const host = await readHost({ WORKSPACE_FOLDER_PATHS: value });
  expect(pathsOf(host)).toEqual([tree('a,b'), tree('c')]);
  expect(host.rejected).toHaveLength(1);
});

test('WORKSPACE_FOLDER_PATHS is a comma list otherwise', async () => {
  const tree = makeTree('a', 'b');
  const host = await readHost({ WORKSPACE_FOLDER_PATHS: `${tree('a')}, ${tree('b')},${tree('missing')}` });
  expect(pathsOf(host)).toEqual([tree('a'), tree('b')]);
  expect(host.rejected).toMatchObject([{ reason: 'not-found' }]);
});

test('WORKSPACE_FOLDER_PATHS may be a comma list of Windows paths', async () => {
  const sources = await readFrom({
    style: 'windows',
    home: 'C:\\Users\\me',
    environment: { WORKSPACE_FOLDER_PATHS: 'c:\\work,D:\\data' },
    disk: { realpath: (path) => Promise.resolve(path), inspect: () => 'directory' },
  });
  expect(pathsOf(statementOf(sources, 'host'))).toEqual(['C:\\work', 'D:\\data']);
});

test('WORKSPACE_FOLDER_PATHS that is one existing path outside the ceiling is not taken for a list', async () => {
  const tree = makeTree('a,b', 'in');
  const sources = await readFrom({
    within: [tree('in')],
    environment: { WORKSPACE_FOLDER_PATHS: tree('a,b') },
  });
  expect(statementOf(sources, 'host').rejected).toMatchObject([
    { reason: 'outside-ceiling', declared: tree('a,b') },
  ]);
});

test.each(['CLAUDE_PROJECT_DIR', 'WORKSPACE_FOLDER_PATHS'])(
  'a %s that still holds ${ was not expanded by the host',
  async (name) => {
    const host = await readHost({ [name]: '${workspaceFolder}' });
    expect(host.roots).toEqual([]);
    expect(host.rejected).toMatchObject([{ reason: 'unexpanded', declared: '${workspaceFolder}' }]);
    expect(host.detail).toContain('not expanded by the host');
  },
);

test('a bad CLAUDE_PROJECT_DIR gives way to WORKSPACE_FOLDER_PATHS, and both are told of', async () => {
  const tree = makeTree('a');
  const host = await readHost({ CLAUDE_PROJECT_DIR: tree('missing'), WORKSPACE_FOLDER_PATHS: tree('a') });
  expect(pathsOf(host)).toEqual([tree('a')]);
  expect(host.detail).toContain('CLAUDE_PROJECT_DIR names unusable');
});

test('broad and relative host hints are ignored', async () => {
  const tree = makeTree('home');
  const read = async (value: string) =>
    statementOf(await readFrom({ home: tree('home'), environment: { CLAUDE_PROJECT_DIR: value } }), 'host');
  expect((await read('/')).rejected).toMatchObject([{ reason: 'too-broad' }]);
  expect((await read(tree('home'))).rejected).toMatchObject([{ reason: 'too-broad' }]);
  expect((await read(tree(''))).rejected).toMatchObject([{ reason: 'too-broad' }]);
  expect((await read('some/where')).rejected).toMatchObject([{ reason: 'not-absolute' }]);
});
