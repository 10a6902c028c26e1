import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { readRoots } from '../../src/roots/read-roots.js';
import { createWorkspace } from '../../src/workspace/create-workspace.js';
import { clientNames, makeTree, pathsOf } from './scripted-client.js';

describe('createWorkspace()', () => {
  test('reads the sources once and opens a workspace over them', async () => {
    const tree = makeTree('a');
    using workspace = await createWorkspace({ environment: {}, home: '/nowhere/home', roots: [tree('a')] });
    expect(pathsOf(workspace)).toEqual([tree('a')]);
  });

  test.each([
    ['clientRoots', { clientRoots: 'both' }, 'Cannot use "both" for client roots'],
    ['a limit', { limits: { readyTimeout: Number.NaN } }, 'Cannot use NaN as readyTimeout'],
    ['a limit', { limits: { freshFor: -1 } }, 'Cannot use -1 as freshFor'],
  ])('refuses a useless value for %s, quoting it', async (_, options, message) => {
    const creating = createWorkspace({ environment: {}, home: '/nowhere/home', ...(options as object) });
    await expect(creating).rejects.toMatchObject({ code: 'invalid-option' });
    await expect(creating).rejects.toThrow(message);
  });

  test('looks client roots up with the reader it was given', async () => {
    const tree = makeTree('a');
    const entries: unknown[] = [];
    using workspace = await createWorkspace({
      environment: {},
      home: '/nowhere/home',
      readClientRoots(list, options) {
        entries.push(...list);
        return readRoots(list, options);
      },
    });
    await clientNames(workspace, tree('a'));
    expect(entries).toEqual([{ uri: pathToFileURL(tree('a')).href }]);
    expect(pathsOf(workspace)).toEqual([tree('a')]);
  });

  test('fails fast for a bad value, naming the path', async () => {
    await expect(
      createWorkspace({ environment: {}, home: '/nowhere/home', roots: ['/no/such/place'] }),
    ).rejects.toMatchObject({ code: 'not-found', path: '/no/such/place' });
  });
});
