import { chmodSync, symlinkSync } from 'node:fs';
import { delimiter } from 'node:path';
import type { Root } from '@rootward/core';
import { expect, test } from 'vitest';
import { findProgram } from '../../src/programs/find-program.js';
import { findRipgrep } from '../../src/search/find-ripgrep.js';
import { makeTree } from '../fixtures/temp-tree.js';

const tree = makeTree({ 'root/bin/tool': '', 'safe/tool': '', 'links/': '', 'plain/tool': '' });
for (const name of ['root/bin/tool', 'safe/tool']) chmodSync(tree.path(name), 0o755);
symlinkSync(tree.path('root/bin/tool'), tree.path('links/tool'));
const root = (path: string): Root => ({
  uri: `file://${path}`,
  path,
  name: 'root',
  kind: 'directory',
  access: 'read-write',
  source: 'flag',
  declared: path,
  broad: false,
});
const pathOf = (...names: string[]) => ({ PATH: names.map((name) => tree.path(name)).join(delimiter) });
const roots = [root(tree.path('root'))];

test('findProgram() passes over what lies inside a root, by its own name or by a link', async () => {
  const environment = pathOf('root/bin', 'links', 'safe');
  expect(await findProgram('tool', { environment, roots })).toBe(tree.path('safe/tool'));
  expect(await findProgram('tool', { environment, roots: [] })).toBe(tree.path('root/bin/tool'));
  expect(await findProgram('tool', { environment: pathOf('links'), roots })).toBeUndefined();
});

test('findProgram() passes over what cannot be executed and relative entries of PATH', async () => {
  expect(await findProgram('tool', { environment: pathOf('plain'), roots })).toBeUndefined();
  const environment = { PATH: ['.', '', 'bin'].join(delimiter) };
  expect(await findProgram('tool', { environment, roots: [] })).toBeUndefined();
});

test('findProgram() tries candidates before PATH', async () => {
  const candidates = [tree.path('missing'), tree.path('safe/tool')];
  const environment = pathOf('root/bin');
  expect(await findProgram('tool', { environment, roots: [], candidates })).toBe(tree.path('safe/tool'));
});

test('findRipgrep() finds the one that came along, unless it lies inside a root', async () => {
  const program = await findRipgrep([], {});
  expect(program).toMatch(/rg(\.exe)?$/);
  expect(await findRipgrep([root('/')], {})).toBeUndefined();
});
