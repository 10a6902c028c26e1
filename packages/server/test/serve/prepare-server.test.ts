import { projectOf } from '@rootward/core';
import { expect, test, vi } from 'vitest';
import { loadSettings } from '../../src/settings/load-settings.js';
import { prepareServer } from '../../src/serve/prepare-server.js';
import type { StderrLogger } from '../../src/serve/stderr-logger.js';
import { makeTree } from '../fixtures/temp-tree.js';

test('what users keep about their projects is in force, and out of reach through the fence', async () => {
  const tree = makeTree({ 'home/.config/other.json': '{}', 'home/app/secret.txt': '' });
  const home = tree.path('home');
  const roots = [tree.path('home/.config'), tree.path('home/app')];
  const settings = await loadSettings({ roots }, {}, home);
  const start = { environment: {}, home, directory: home, program: undefined };
  const { prepared, projectSettings } = await prepareServer(settings, start);
  const open = async () => {
    using workspace = await prepared.open('local');
    return workspace.scope();
  };
  const scope = await open();
  await scope.write(tree.path('home/.config/other.json'), '[]');
  const { directory } = projectSettings;
  await expect(scope.mkdir(directory, { recursive: true })).rejects.toMatchObject({ code: 'denied' });
  await scope.readText(tree.path('home/app/secret.txt'));
  const { id } = projectOf({ path: tree.path('home/app'), source: 'flag' });
  await projectSettings.update(id, () => ({ deny: ['secret.txt'] }));
  for (const file of [projectSettings.fileOf(id), `${directory}/new.json`]) {
    await expect(scope.write(file, '{}')).rejects.toMatchObject({ code: 'denied' });
  }
  await expect(scope.remove(directory, { recursive: true })).rejects.toMatchObject({ code: 'denied' });
  const denied = (await open()).readText(tree.path('home/app/secret.txt'));
  await expect(denied).rejects.toMatchObject({ code: 'denied' });
});

test('what is prepared for clients that may change nothing is as with --read-only', async () => {
  const tree = makeTree({ 'home/app/file.txt': 'kept' });
  const home = tree.path('home');
  const settings = await loadSettings({ roots: [tree.path('home/app')] }, {}, home);
  const start = { environment: {}, home, directory: home, program: undefined };
  const { prepared, preparedReadOnly } = await prepareServer(settings, start);
  expect(preparedReadOnly()).toBe(preparedReadOnly());
  using workspace = await preparedReadOnly().open('local');
  const scope = workspace.scope();
  expect(scope.roots.map(({ access }) => access)).toEqual(['read-only']);
  const file = tree.path('home/app/file.txt');
  await expect(scope.write(file, 'new')).rejects.toMatchObject({ code: 'read-only' });
  expect(await scope.readText(file)).toMatchObject({ text: 'kept' });
  using other = await prepared.open('local');
  expect(other.scope().roots.map(({ access }) => access)).toEqual(['read-write']);
});

test('what the operator revokes inside a root while the server runs is taken out of the roots of children', async () => {
  const tree = makeTree({ 'home/app/file.txt': '', 'home/app/secret/file.txt': '' });
  const home = tree.path('home');
  const settings = await loadSettings({ roots: [tree.path('home/app')] }, {}, home);
  const start = { environment: {}, home, directory: home, program: undefined };
  const { prepared, limits, sandboxes } = await prepareServer(settings, start);
  using workspace = await prepared.open('local');
  // Elsewhere, Rootward hides what it keeps itself, as far as it is there.
  const deniedInHome = async (): Promise<readonly object[]> =>
    (await sandboxes.limits(workspace.scope())).denied.filter(({ path }) => path.startsWith(home));
  expect(await deniedInHome()).toEqual([]);
  limits.set(tree.path('home/app/secret'), 'revoked');
  const denied = [{ path: tree.path('home/app/secret'), kind: 'directory' }];
  expect(await deniedInHome()).toMatchObject(denied);
});

test('a warning is given once, also where the ceiling has to be found first', async () => {
  const tree = makeTree({ 'home/app/file.txt': '', 'rootward.json': '{}' });
  const home = tree.path('home');
  const environment = { ROOTWARD_NOTHING: '1', CLAUDE_PROJECT_DIR: tree.path('home/app') };
  const settings = await loadSettings({ config: tree.path('rootward.json'), http: 0 }, {}, home);
  const start = { environment, home, directory: home, program: undefined };
  const lines: string[] = [];
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
  try {
    const { log, sources, prepared } = await prepareServer(settings, start);
    await (log as StderrLogger).flushed();
    expect(sources.reading.ceiling).toEqual([tree.path('home/app')]);
    expect(await prepared.sources('http')).toBe(sources);
  } finally {
    write.mockRestore();
  }
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
    expect.stringContaining('ROOTWARD_NOTHING'),
  ]);
});

test('over HTTP, a named root that cannot be used lets nobody through', async () => {
  const tree = makeTree({ 'home/app/file.txt': '', 'rootward.json': '{ "roots": ["/nonexistent"] }' });
  const home = tree.path('home');
  const environment = { CLAUDE_PROJECT_DIR: tree.path('home/app') };
  const settings = await loadSettings(
    { config: tree.path('rootward.json'), http: 0, logLevel: 'silent' },
    {},
    home,
  );
  const start = { environment, home, directory: tree.path('home/app'), program: undefined };
  const { sources } = await prepareServer(settings, start);
  expect(sources.reading.ceiling).toEqual([]);
});
