import { tmpdir } from 'node:os';
import { realpathSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { pathToFileUri, readPathRoots, Scope, type Root } from '@rootward/core';
import { diagnostics, findSymbol, LanguageServers, outline, references } from '@rootward/lsp';
import type { CodeContext, FolderKind } from '@rootward/lsp';
import { Folder } from '../fixtures/folder.js';
import { recorded, scripted, type Script } from '../fixtures/scripted.js';
import { eventually } from '../../../../testing/eventually.js';

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

function serve(folders: FolderKind, script: Script = {}): CodeContext {
  const definition = {
    ...scripted({ record, ...script }, { folders }),
    markers: ['toy.json'],
    answersInOrder: true,
    ready: /^ready$/,
  };
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

test('a server of one folder in a broad root is told of files that come there, and nowhere else', async () => {
  const register = ['workspace/didChangeWatchedFiles'];
  const registerOptions = { watchers: [{ globPattern: '**/*.toy' }] };
  const code = serve('per-root', { register, registerOptions, sign: 'ready' });
  const ask = (): Promise<unknown> => outline(code, { file: home.at('project/deep/x.toy') });
  await ask();
  await eventually(() => expect(recorded(record)).toContainEqual({ registered: register }));
  await ask();
  home.write({ 'project/new.toy': '', 'elsewhere/new.toy': '' });
  // A look at the disk that took long is not repeated at once.
  await eventually(async () => {
    await ask();
    const told = recorded(record).flatMap((entry) => entry['watched'] ?? []);
    expect(told).toEqual([{ uri: pathToFileUri(home.at('project/new.toy')), type: 1 }]);
  });
});

test('findSymbol() and diagnostics() do not look through a broad root, and say so', async () => {
  const code = serve('file-driven');
  const expected = { files: [], complete: false, notes: [expect.stringContaining('too broad')] };
  expect(await findSymbol(code, { query: 'served' })).toMatchObject({ total: 0, ...expected });
  expect(await diagnostics(code, {})).toMatchObject({ checked: 0, ...expected });
});

test.each([
  ['file-driven', 'project/deep/x.toy', true],
  ['file-driven', 'x.toy', false],
  ['per-root', 'project/deep/x.toy', true],
  // It knows nothing of a folder it was not told of.
  ['shared', 'project/deep/x.toy', false],
] as const)(
  'references() of a %s server to a symbol of %s in a broad root: complete is %s',
  async (folders, name, complete) => {
    home.write({ [name]: 'word', 'project/y.toy': 'word', 'elsewhere/z.toy': 'word' });
    const file = home.at(name);
    const start = { line: 0, character: 0 };
    const answers = {
      'textDocument/references': [{ uri: pathToFileUri(file), range: { start, end: start } }],
    };
    const script = { capabilities: { referencesProvider: true }, answers, sign: 'ready' };
    const code = serve(folders, script);
    expect(await references(code, { symbol: 'word', file })).toMatchObject({ total: 1, complete });
    const shown = recorded(record).flatMap((entry) => entry['didOpen'] ?? []);
    const isProject = folders === 'file-driven' ? complete : name.startsWith('project');
    expect(shown).toEqual(
      [file, ...(isProject ? [home.at('project/y.toy')] : [])].map((path) => pathToFileUri(path)),
    );
  },
);
