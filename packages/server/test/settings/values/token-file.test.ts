import { chmodSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadSettings } from '../../../src/settings/load-settings.js';
import { isSharedFile, readTokenFile } from '../../../src/settings/values/token-file.js';
import { makeTree } from '../../fixtures/temp-tree.js';

const tree = makeTree({
  tokens: '# for the laptop\naaaaaaaaaaaaaaaa\n\n  bbbbbbbbbbbbbbbb\r\n',
  empty: '# nothing yet\n',
  short: 'abc\n',
  'folder/x': '',
  'rootward.json': '{"tokenFile": "tokens"}',
});

test('readTokenFile() takes one token from each line, without comments', () => {
  expect(readTokenFile(tree.path('tokens'))).toEqual(['aaaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbbb']);
});

test.each([
  ['empty', 'it holds no token'],
  ['short', 'shorter than 16'],
  ['folder', 'it is not a file'],
  ['missing', 'it does not exist'],
])('readTokenFile() refuses %s', (name, problem) => {
  expect(() => readTokenFile(tree.path(name))).toThrow(problem);
});

test('isSharedFile() tells whether others can read it', () => {
  chmodSync(tree.path('tokens'), 0o640);
  expect(isSharedFile(tree.path('tokens'))).toBe(true);
  chmodSync(tree.path('tokens'), 0o600);
  expect(isSharedFile(tree.path('tokens'))).toBe(false);
});

test('the strongest layer that names tokens is the only one that counts', async () => {
  const config = tree.path('rootward.json');
  const load = (flags: object, environment = {}): Promise<unknown> =>
    loadSettings({ config, ...flags }, environment, tree.top);
  const token = 'cccccccccccccccc';
  expect(await load({})).toMatchObject({ tokens: ['aaaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbbb'] });
  expect(await load({}, { ROOTWARD_TOKEN: token })).toMatchObject({ tokens: [token] });
  expect(await load({ tokenFile: tree.path('tokens') }, { ROOTWARD_TOKEN: token })).toMatchObject({
    tokens: ['aaaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbbb'],
  });
});
