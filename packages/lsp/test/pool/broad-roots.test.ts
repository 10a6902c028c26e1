import { tmpdir } from 'node:os';
import { realpathSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Root } from '@rootward/core';
import { readPathRoots, Scope } from '@rootward/core';
import { findSymbol, LanguageServers, outline } from '@rootward/lsp';
import type { CodeContext, FolderKind } from '@rootward/lsp';
import { Folder } from '../fixtures/folder.js';
import { recorded, scripted } from '../fixtures/scripted.js';

let home: Folder;
let record: string;
let roots: readonly Root[];
let servers: LanguageServers;

beforeEach(async () => {
  home = new Folder({ 'x.toy': '', 'project/toy.json': '', 'project/deep/x.toy': '' });
  record = home.at('record');
  ({ roots } = await readPathRoots([{ path: home.path }], { source: 'flag', home: home.path }));
  expect(roots[0]!.broad).toBe(true);
});

afterEach(async () => {
  await servers.dispose();
  home[Symbol.dispose]();
});

function serve(folders: FolderKind): CodeContext {
  const definition = { ...scripted({ record }, { folders }), markers: ['toy.json'] };
  servers = new LanguageServers({ snapshot: () => ({ roots }) }, { servers: [definition] });
  return { servers, scope: new Scope({ roots }) };
}

function started(): readonly unknown[] {
  return recorded(record).flatMap((entry) => entry['initialize'] ?? entry['start'] ?? []);
}

test('a server that follows folders is not told of a broad root, nor does it run there', async () => {
  const code = serve('shared');
  expect((await outline(code, { file: home.at('x.toy') })).symbols).toHaveLength(1);
  expect(started()).toMatchObject([
    { cwd: realpathSync(tmpdir()) },
    { rootUri: null, rootPath: null, workspaceFolders: [] },
  ]);
});

test('a server of one folder gets the project around a file in a broad root, or is not started', async () => {
  const code = serve('per-root');
  await expect(outline(code, { file: home.at('x.toy') })).rejects.toMatchObject({ code: 'broad-root' });
  await outline(code, { file: home.at('project/deep/x.toy') });
  expect(started()).toMatchObject([{ cwd: home.at('project') }, { rootPath: home.at('project') }]);
});

test('findSymbol() does not look through a broad root', async () => {
  expect(await findSymbol(serve('file-driven'), { query: 'served' })).toMatchObject({ total: 0, files: [] });
});
