import { afterEach, beforeEach, expect, test } from 'vitest';
import { readPathRoots, Scope, type Root } from '@rootward/core';
import { projectFolder } from '../../src/pool/project-folder.js';
import { Folder } from '../fixtures/folder.js';

let home: Folder;

beforeEach(() => {
  home = new Folder({ 'go.mod': '', 'root/a/go.mod': '', 'root/a/b/x.go': '', 'root/c/x.go': '' });
});

afterEach(() => home[Symbol.dispose]());

async function rootsAt(path: string, broadHome = '/nonexistent'): Promise<readonly Root[]> {
  return (await readPathRoots([{ path }], { source: 'flag', home: broadHome })).roots;
}

test('projectFolder() is the nearest folder with a marker, and never above the root', async () => {
  const scope = new Scope({ roots: await rootsAt(home.at('root')) });
  expect(projectFolder(scope, home.at('root/a/b/x.go'), ['go.mod'])).toBe(home.at('root/a'));
  expect(projectFolder(scope, home.at('root/c/x.go'), ['go.mod'])).toBe(home.at('root'));
  expect(projectFolder(scope, home.at('root/a/b/x.go'), [])).toBe(home.at('root'));
});

test('projectFolder() looks inside the longest matching root only', async () => {
  const roots = [...(await rootsAt(home.path)), ...(await rootsAt(home.at('root/c')))];
  const scope = new Scope({ roots });
  expect(projectFolder(scope, home.at('root/c/x.go'), ['go.mod'])).toBe(home.at('root/c'));
  expect(projectFolder(scope, home.at('root/a/b/x.go'), ['go.mod'])).toBe(home.at('root/a'));
});

test('projectFolder() of a broad root is a project in it or nothing, never the root', async () => {
  const roots = await rootsAt(home.path, home.path);
  expect(roots[0]!.broad).toBe(true);
  const scope = new Scope({ roots });
  expect(projectFolder(scope, home.at('root/a/b/x.go'), ['go.mod'])).toBe(home.at('root/a'));
  expect(projectFolder(scope, home.at('root/c/x.go'), ['go.mod'])).toBeUndefined();
});
