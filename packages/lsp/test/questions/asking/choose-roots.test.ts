import { beforeEach, expect, test } from 'vitest';
import { Scope, type Workspace } from '@rootward/core';
import { chooseRoots } from '../../../src/questions/asking/choose-roots.js';
import type { Folder } from '../../fixtures/folder.js';
import { openFolders } from '../../fixtures/live-workspace.js';

let home: Folder;
let workspace: Workspace;
let scope: Scope;

beforeEach(async () => {
  ({ home, workspace } = await openFolders({ 'shop/src/a.ts': '', 'blog/b.ts': '' }, 'shop', 'blog'));
  scope = workspace.scope();
});

async function chosen(named?: string): Promise<readonly string[]> {
  return (await chooseRoots(scope, named)).map(({ name }) => name);
}

test('chooseRoots() takes all roots, or the one with that name, at that path or around it', async () => {
  expect(await chosen()).toEqual(['shop', 'blog']);
  expect(await chosen('blog')).toEqual(['blog']);
  expect(await chosen(home.at('blog'))).toEqual(['blog']);
  expect(await chosen(home.at('blog/b.ts'))).toEqual(['blog']);
  expect(await chosen('src')).toEqual(['shop']);
});

test('chooseRoots() does not take a misspelt name for the first root', async () => {
  await expect(chosen('blogg')).rejects.toMatchObject({
    code: 'not-found',
    message: 'Cannot look for code in "blogg": no root has that name, and none has that path in it',
    instruction: 'Leave it out, or name one of the roots: "shop", "blog"',
  });
});

test('chooseRoots() refuses what lies outside, and having no roots at all', async () => {
  await expect(chosen('/')).rejects.toMatchObject({ code: 'outside-roots' });
  scope = new Scope({ roots: [] });
  await expect(chosen('blog')).rejects.toMatchObject({ code: 'no-roots' });
});
