import type { Root } from '@rootward/core';
import { expect, test } from 'vitest';
import { findRipgrep } from '../../src/search/find-ripgrep.js';

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

test('findRipgrep() finds the one that came along, unless it lies inside a root', async () => {
  const program = await findRipgrep([], {});
  expect(program).toMatch(/rg(\.exe)?$/);
  expect(await findRipgrep([root('/')], {})).toBeUndefined();
});
