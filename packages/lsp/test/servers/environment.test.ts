import { expect, test } from 'vitest';
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
  expect(serverEnvironment({ PATH, ROOTWARD_TOKEN: 'x', A: '' }, roots)).toEqual({ PATH: outside, A: '' });
  // A program that is looked for in an empty one is taken from the current directory.
  for (const none of [inside, '.', '']) expect(serverEnvironment({ PATH: none }, roots)).toEqual({});
});
