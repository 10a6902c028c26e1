import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { promisify } from 'node:util';
import { projectOf } from '@rootward/core';
import { describe, expect, test } from 'vitest';
import { userDirectory } from '@rootward/core/platform';
import { ProjectSettingsStore } from '../../src/guidance/settings-store.js';
import { makeTree } from '../fixtures/temp-tree.js';

const tree = makeTree();
let count = 0;

function newStore(): ProjectSettingsStore {
  return new ProjectSettingsStore(tree.path(`user ${++count}`));
}

function at(environment: Record<string, string>, home: string, platform: NodeJS.Platform): string {
  return new ProjectSettingsStore(userDirectory({ environment, home, platform })).fileOf('app-1a2b3c4d');
}

describe('where settings are kept', () => {
  test('in the configuration directory of the user, on every system', () => {
    expect(at({ XDG_CONFIG_HOME: '/x' }, '/home/me', 'linux')).toBe('/x/rootward/projects/app-1a2b3c4d.json');
    expect(at({}, '/home/me', 'linux')).toBe('/home/me/.config/rootward/projects/app-1a2b3c4d.json');
    // A relative value would depend on the directory of the process.
    expect(at({ XDG_CONFIG_HOME: 'x' }, '/home/me', 'linux')).toBe(at({}, '/home/me', 'linux'));
    expect(at({ APPDATA: '/AppData' }, '/home/me', 'win32')).toBe(
      '/AppData/rootward/projects/app-1a2b3c4d.json',
    );
  });

  test('nothing is there before something is written', async () => {
    const store = newStore();
    expect(store.read('app')).toBeUndefined();
    expect(store.rules()).toBeUndefined();
    expect(existsSync(store.directory)).toBe(false);
    await store.update('app', () => ({ readOnly: true }));
    expect(store.read('app')).toEqual({ readOnly: true });
    expect(statSync(store.fileOf('app')).mode & 0o777).toBe(0o600);
    expect(readdirSync(store.directory)).toEqual(['app.json']);
  });
});

test('a folder keeps its rules when its `.git` says that it belongs to another project', async () => {
  const store = newStore();
  const [app, main] = ['app', 'main'].map((name) => tree.path(`identity ${name}`)) as [string, string];
  tree.add({ 'identity app/': '', [`identity main/.git/worktrees/app/gitdir`]: `${app}/.git` });
  await store.update(projectOf({ path: app, source: 'flag' }).id, () => ({ readOnly: true }));
  writeFileSync(`${app}/.git`, `gitdir: ${main}/.git/worktrees/app`);
  expect(projectOf({ path: app, source: 'flag' }).repository).toBe(main);
  expect(store.rules()?.(app)).toMatchObject([{ reading: { readOnly: true } }]);
});

describe('ProjectSettingsStore.update()', () => {
  test('loses no change, whoever writes at the same time', async () => {
    const store = newStore();
    const add = (name: string): Promise<unknown> =>
      store.update('app', ({ deny = [] }) => ({ deny: [...deny, name] }));
    await Promise.all(Array.from({ length: 10 }, (_, index) => add(`file-${index}`)));
    expect(store.read('app')).toMatchObject({ deny: expect.arrayContaining(['file-0', 'file-9']) });
    expect((store.read('app') as { deny: string[] }).deny).toHaveLength(10);
  });

  test('loses no change of another process', async () => {
    const store = newStore();
    const built = new URL('../../dist/guidance/settings-store.js', import.meta.url).href;
    const script = `import { ProjectSettingsStore } from ${JSON.stringify(built)};
      const store = new ProjectSettingsStore(process.argv[1]);
      for (let index = 0; index < 10; index++)
        await store.update('app', ({ deny = [] }) => ({ deny: [...deny, process.argv[2] + index] }));`;
    const run = (name: string): Promise<unknown> =>
      promisify(execFile)(process.execPath, [
        '--input-type=module',
        '-e',
        script,
        tree.path(`user ${count}`),
        name,
      ]);
    await Promise.all([run('a'), run('b')]);
    expect(new Set((store.read('app') as { deny: string[] }).deny).size).toBe(20);
    expect(readdirSync(store.directory)).toEqual(['app.json']);
  });

  test('keeps the link of a user who keeps settings elsewhere', async () => {
    const store = newStore();
    mkdirSync(store.directory, { recursive: true });
    const file = tree.path('dotfiles.json');
    writeFileSync(file, '{ "readOnly": true }');
    symlinkSync(file, store.fileOf('app'));
    await store.update('app', (before) => ({ ...before, deny: ['x'] }));
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ readOnly: true, deny: ['x'] });
  });

  test.each([
    ['roots', { roots: ['/'] }],
    ['a command', { tools: { run: 'sh' } }],
    ['a category outside', { categories: { docs: { dir: '../..' } } }],
    ['a glob that cannot be used', { deny: ['[z-a]'] }],
  ])('writes nothing that only tightening does not allow: %s', async (_, settings) => {
    const store = newStore();
    await expect(store.update('app', () => settings as object)).rejects.toMatchObject({
      code: 'configuration',
    });
    expect(readdirSync(store.directory)).toEqual([]);
  });

  test('leaves a broken file to its author', async () => {
    const store = newStore();
    mkdirSync(store.directory, { recursive: true });
    writeFileSync(store.fileOf('app'), '{ broken');
    await expect(store.update('app', () => ({}))).rejects.toThrow('it is not JSON');
    expect(readFileSync(store.fileOf('app'), 'utf8')).toBe('{ broken');
    expect(readdirSync(store.directory)).toEqual(['app.json']);
  });
});
