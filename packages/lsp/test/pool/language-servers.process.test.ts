import { afterEach, expect, test } from 'vitest';
import { pathToFileUri, type Workspace } from '@rootward/core';
import { isAlive } from '@rootward/core/platform';
import { LanguageServers, outline, ServerBudget, type LanguageServersOptions } from '@rootward/lsp';
import { Folder } from '../fixtures/folder.js';
import { giveRoots, liveWorkspace } from '../fixtures/live-workspace.js';
import { recorded, scripted } from '../fixtures/scripted.js';
import { eventually } from '../../../../testing/eventually.js';

const open: { dispose(): unknown }[] = [];

afterEach(async () => {
  for (const item of open.splice(0).toReversed()) await item.dispose();
});

function serve(workspace: Workspace, options: LanguageServersOptions): LanguageServers {
  const servers = new LanguageServers(workspace, options);
  open.push(servers);
  return servers;
}

function folder(name: string): Folder {
  const made = new Folder({ [`${name}/a.toy`]: 'a', [`${name}/b.toy`]: 'b' });
  open.push({ dispose: () => made[Symbol.dispose]() });
  return made;
}

function ask(servers: LanguageServers, workspace: Workspace, file: string): ReturnType<typeof outline> {
  return outline({ servers, scope: workspace.scope() }, { file });
}

async function servedBy(servers: LanguageServers, workspace: Workspace, file: string): Promise<string> {
  const { symbols } = await ask(servers, workspace, file);
  return symbols[0]!.name;
}

const STATIC = { workspace: { workspaceFolders: { supported: true, changeNotifications: true } } };

test('a server that announces folders is told of an added and of a removed root in one message each, and of nothing else', async () => {
  const home = folder('one');
  home.write({ 'two/a.toy': 'a', 'three/a.toy': 'a' });
  const record = home.at('record');
  const workspace = await liveWorkspace(home.at('one'), home.at('two'));
  const servers = serve(workspace, { servers: [scripted({ capabilities: STATIC, record })] });
  await ask(servers, workspace, home.at('one/a.toy'));
  await giveRoots(workspace, home.at('two'), home.at('one'));
  await giveRoots(workspace, home.at('two'), home.at('three'));
  await ask(servers, workspace, home.at('three/a.toy'));
  const [, two, three] = ['one', 'two', 'three'].map((name) => ({ uri: pathToFileUri(home.at(name)), name }));
  const one = { uri: pathToFileUri(home.at('one')), name: 'one' };
  await eventually(() => expect(recorded(record).filter((entry) => 'asked' in entry)).toHaveLength(2));
  const told = recorded(record);
  expect(told.filter((entry) => 'initialize' in entry)).toHaveLength(1);
  expect(told.filter((entry) => 'folders' in entry)).toEqual([
    { folders: { added: [two], removed: [] } },
    { folders: { added: [three], removed: [one] } },
  ]);
  expect(told.findLast((entry) => 'asked' in entry)).toEqual({ asked: [two, three] });
  expect(told.filter((entry) => 'didClose' in entry)).toEqual([
    { didClose: pathToFileUri(home.at('one/a.toy')) },
  ]);
});

test.each([
  [
    'changeNotifications alone',
    { capabilities: { workspace: { workspaceFolders: { changeNotifications: true } } } },
  ],
  [
    'an identifier',
    { capabilities: { workspace: { workspaceFolders: { supported: true, changeNotifications: 'id' } } } },
  ],
  ['a later registration', { register: ['workspace/didChangeWorkspaceFolders'] }],
  [
    'supported, then a registration',
    {
      capabilities: { workspace: { workspaceFolders: { supported: true } } },
      register: ['workspace/didChangeWorkspaceFolders'],
    },
  ],
])('%s makes one server for all roots', async (_, script) => {
  const home = folder('one');
  home.write({ 'two/a.toy': 'a' });
  const workspace = await liveWorkspace(home.at('one'), home.at('two'));
  const servers = serve(workspace, { servers: [scripted(script)], limits: { registrationWait: 20_000 } });
  const [first, second] = await Promise.all([
    servedBy(servers, workspace, home.at('one/a.toy')),
    servedBy(servers, workspace, home.at('two/a.toy')),
  ]);
  expect(first).toBe(second);
  expect(servers.status()).toMatchObject([{ kind: 'shared', folders: [home.at('one'), home.at('two')] }]);
});

test.each([
  ['nothing', {}],
  ['supported alone', { capabilities: { workspace: { workspaceFolders: { supported: true } } } }],
])('a server that says %s about folders is started once per root, in that root', async (_, script) => {
  const home = folder('one');
  home.write({ 'two/a.toy': 'a' });
  const record = home.at('record');
  const workspace = await liveWorkspace(home.at('one'), home.at('two'));
  const servers = serve(workspace, {
    servers: [scripted({ ...script, record })],
    limits: { registrationWait: 0 },
  });
  await ask(servers, workspace, home.at('one/a.toy'));
  await ask(servers, workspace, home.at('two/a.toy'));
  const starts = recorded(record);
  const expected = ['one', 'two'].map((name) => ({
    path: home.at(name),
    uri: pathToFileUri(home.at(name)),
    name,
  }));
  expect(starts.flatMap((entry) => entry['start']?.cwd ?? [])).toEqual(expected.map(({ path }) => path));
  expect(starts.flatMap((entry) => entry['initialize'] ?? [])).toMatchObject(
    expected.map(({ path, uri, name }) => ({
      rootUri: uri,
      rootPath: path,
      workspaceFolders: [{ uri, name }],
    })),
  );
  await giveRoots(workspace, home.at('two'));
  await eventually(() => expect(servers.status()).toMatchObject([{ folders: [home.at('two')] }]));
  expect(recorded(record).some((entry) => 'folders' in entry)).toBe(false);
});

test('a measured kind is stronger than what a server announces', async () => {
  const home = folder('one');
  const workspace = await liveWorkspace(home.at('one'));
  const servers = serve(workspace, {
    servers: [scripted({ capabilities: STATIC }, { folders: 'per-root' })],
  });
  await ask(servers, workspace, home.at('one/a.toy'));
  expect(servers.status()).toMatchObject([{ kind: 'per-root' }]);
});

test('a file-driven server that has seen a removed root is started anew, and not otherwise', async () => {
  const home = folder('one');
  home.write({ 'two/a.toy': 'a', 'three/a.toy': 'a' });
  const workspace = await liveWorkspace(home.at('one'), home.at('two'));
  const servers = serve(workspace, { servers: [scripted({}, { folders: 'file-driven' })] });
  const first = await servedBy(servers, workspace, home.at('one/a.toy'));
  await giveRoots(workspace, home.at('one'), home.at('two'), home.at('three'));
  expect(await servedBy(servers, workspace, home.at('three/a.toy'))).toBe(first);
  await giveRoots(workspace, home.at('two'), home.at('three'));
  expect(await servedBy(servers, workspace, home.at('three/a.toy'))).not.toBe(first);
});

test('callers that come at once wait for one start', async () => {
  const home = folder('one');
  const record = home.at('record');
  const workspace = await liveWorkspace(home.at('one'));
  const servers = serve(workspace, { servers: [scripted({ record }, { folders: 'file-driven' })] });
  const names = await Promise.all(
    Array.from({ length: 5 }, () => servedBy(servers, workspace, home.at('one/a.toy'))),
  );
  expect(new Set(names).size).toBe(1);
  expect(recorded(record).filter((entry) => 'start' in entry)).toHaveLength(1);
});

test('the server’s questions are answered from live state, and its edits are refused', async () => {
  const home = folder('one');
  const record = home.at('record');
  const workspace = await liveWorkspace(home.at('one'));
  const ask3 = [
    ['workspace/workspaceFolders', undefined],
    ['workspace/configuration', { items: [{ section: 'toy.depth' }, { section: 'other' }] }],
    ['window/workDoneProgress/create', { token: 1 }],
    ['workspace/applyEdit', { edit: { changes: {} } }],
    ['toy/unheardOf', {}],
  ] as const;
  const definition = { ...scripted({ record, ask: ask3 }), settings: { toy: { depth: 3 } } };
  const servers = serve(workspace, { servers: [definition], limits: { registrationWait: 0 } });
  await ask(servers, workspace, home.at('one/a.toy'));
  await eventually(() =>
    expect(recorded(record).filter((entry) => 'answer' in entry)).toHaveLength(ask3.length),
  );
  const answers = Object.fromEntries(
    recorded(record).flatMap((entry) =>
      entry['answer'] ? [[entry['answer'].method, entry['answer'].answer]] : [],
    ),
  );
  expect(answers).toMatchObject({
    'workspace/workspaceFolders': [{ name: 'one' }],
    'workspace/configuration': [3, null],
    'window/workDoneProgress/create': null,
    'workspace/applyEdit': { applied: false },
    'toy/unheardOf': { error: expect.stringContaining('Unhandled method') },
  });
});

test('our secrets do not reach a server, nor do folders of PATH inside a root', async () => {
  const home = folder('one');
  const record = home.at('record');
  const workspace = await liveWorkspace(home.at('one'));
  const environment = {
    ...process.env,
    ROOTWARD_TOKEN: 'secret',
    ROOTWARD_HANDLE_KEY: 'secret',
    GITHUB_TOKEN: 'secret',
    PATH: `${home.at('one')}:${home.path}:bin:/usr/bin:${process.env['PATH']}`,
  };
  const servers = serve(workspace, {
    servers: [scripted({ record })],
    environment,
    limits: { registrationWait: 0 },
  });
  await ask(servers, workspace, home.at('one/a.toy'));
  const { env } = recorded(record)[0]!['start'];
  expect(JSON.stringify(env)).not.toContain('secret');
  expect(env.PATH.split(':').slice(0, 2)).toEqual([home.path, '/usr/bin']);
});

test('never more servers than the cap run, though more are asked at once', async () => {
  const home = folder('one');
  const record = home.at('record');
  const extensions = Array.from({ length: 5 }, (_, index) => `.toy${index}`);
  for (const extension of extensions) home.write({ [`one/a${extension}`]: 'a' });
  const workspace = await liveWorkspace(home.at('one'));
  const definitions = extensions.map((extension) =>
    scripted({ record }, { name: extension, extension, folders: 'file-driven' }),
  );
  const budget = new ServerBudget(2);
  const servers = serve(workspace, { servers: definitions, budget });
  await Promise.all(extensions.map((extension) => ask(servers, workspace, home.at(`one/a${extension}`))));
  const pids = recorded(record).flatMap(({ start }) => (start === undefined ? [] : [start.pid]));
  expect(new Set(pids).size).toBe(5);
  expect(pids.filter(isAlive).length).toBeLessThanOrEqual(2);
  expect(budget.size).toBe(2);
});

test('with ten languages in one root, eight servers run, and the others come back when they are asked', async () => {
  const home = folder('one');
  const extensions = Array.from({ length: 10 }, (_, index) => `.toy${index}`);
  home.write(Object.fromEntries(extensions.map((extension) => [`one/a${extension}`, 'a'])));
  const workspace = await liveWorkspace(home.at('one'));
  const definitions = extensions.map((extension) =>
    scripted({}, { name: extension, extension, folders: 'file-driven' }),
  );
  const servers = serve(workspace, { servers: definitions });
  for (const extension of extensions) await ask(servers, workspace, home.at(`one/a${extension}`));
  expect(servers.status().map(({ server }) => server)).toEqual(extensions.slice(2));
  await ask(servers, workspace, home.at('one/a.toy0'));
  expect(servers.status()).toHaveLength(8);
});

test('beyond the cap the server that was not asked for longest makes room', async () => {
  const home = folder('one');
  home.write({ 'one/a.toy2': 'a', 'one/a.toy3': 'a' });
  const workspace = await liveWorkspace(home.at('one'));
  const definitions = ['.toy', '.toy2', '.toy3'].map((extension) =>
    scripted({}, { name: extension, extension, folders: 'file-driven' }),
  );
  const servers = serve(workspace, { servers: definitions, limits: { maxServers: 2 } });
  for (const extension of ['.toy', '.toy2', '.toy', '.toy3'])
    await ask(servers, workspace, home.at(`one/a${extension}`));
  expect(servers.status().map(({ server }) => server)).toEqual(['.toy', '.toy3']);
});
