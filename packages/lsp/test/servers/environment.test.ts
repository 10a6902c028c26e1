import { expect, test } from 'vitest';
import { knownServers } from '@rootward/lsp';
import { serverEnvironment } from '../../src/servers/environment.js';
import { liveWorkspace } from '../fixtures/live-workspace.js';
import { Folder } from '../fixtures/folder.js';

test('serverEnvironment() keeps folders of the workspace out of PATH, and leaves no empty one behind', async () => {
  using home = new Folder({ 'root/bin/node': '', 'other/bin/node': '' });
  using workspace = await liveWorkspace(home.at('root'));
  const { roots } = workspace.snapshot();
  const inside = home.at('root/bin');
  const outside = home.at('other/bin');
  const PATH = `${inside}:.::${outside}`;
  expect(serverEnvironment({ PATH }, roots, {})).toEqual({ PATH: outside });
  // A program that is looked for in an empty one is taken from the current directory.
  for (const none of [inside, '.', '']) expect(serverEnvironment({ PATH: none }, roots, {})).toEqual({});
});

test('serverEnvironment() passes on what every program needs and what the server names, and nothing else', () => {
  const secrets = {
    ROOTWARD_TOKEN: 'x',
    GITHUB_TOKEN: 'x',
    AWS_SECRET_ACCESS_KEY: 'x',
    NODE_OPTIONS: '-r x',
  };
  const common = { HOME: '/home/me', LANG: 'C.UTF-8', LC_ALL: 'C', TMPDIR: '/tmp' };
  const own = { GOPATH: '/home/me/go', VIRTUAL_ENV: '/venv', CPATH: '/usr/include' };
  const environment = { ...secrets, ...common, ...own };
  expect(serverEnvironment(environment, [], {})).toEqual(common);
  for (const definition of knownServers) {
    const expected = Object.fromEntries(
      Object.entries(own).filter(([name]) => definition.inherits?.includes(name)),
    );
    expect(serverEnvironment(environment, [], definition)).toEqual({
      ...common,
      ...expected,
      ...definition.environment,
    });
  }
});

test('serverEnvironment() leaves out a virtual environment of the workspace', async () => {
  using home = new Folder({ 'root/.venv/bin/python': '', 'other/bin/python': '' });
  using workspace = await liveWorkspace(home.at('root'));
  const { roots } = workspace.snapshot();
  const python = knownServers.find(({ name }) => name === 'pyright')!;
  expect(serverEnvironment({ VIRTUAL_ENV: home.at('root/.venv') }, roots, python)).toEqual({});
  const VIRTUAL_ENV = home.at('other');
  expect(serverEnvironment({ VIRTUAL_ENV }, roots, python)).toEqual({ VIRTUAL_ENV });
});
