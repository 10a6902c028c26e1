import { chmodSync } from 'node:fs';
import { delimiter } from 'node:path';
import type { Root } from '@rootward/core';
import { expect, test } from 'vitest';
import { JsonTools } from '../../../src/exec/run/json-tools.js';
import { makeTree } from '../../fixtures/temp-tree.js';

const tree = makeTree({ 'app/node_modules/.bin/jq': '', 'usr/bin/jq': '', 'usr/bin/gojq': '' });
for (const name of ['app/node_modules/.bin/jq', 'usr/bin/jq', 'usr/bin/gojq'])
  chmodSync(tree.path(name), 0o755);

function root(path: string, broad = false): Root {
  const access = 'read-write';
  return {
    uri: `file://${path}`,
    path,
    name: 'n',
    kind: 'directory',
    access,
    source: 'client',
    declared: path,
    broad,
  };
}

test('JsonTools passes over a jq inside a root and takes the next', async () => {
  const PATH = [tree.path('app/node_modules/.bin'), tree.path('usr/bin')].join(delimiter);
  const tools = new JsonTools({ PATH });
  expect(await tools.find([root(tree.path('app'))])).toBe(tree.path('usr/bin/jq'));
  expect(await tools.find([])).toBe(tree.path('usr/bin/jq'));
  expect(await tools.find([root(tree.path('app')), root(tree.path('usr'))])).toBeUndefined();
  // A broad one may hold the programs of the system, too.
  expect(await tools.find([root(tree.top, true)])).toBe(tree.path('usr/bin/jq'));
});
