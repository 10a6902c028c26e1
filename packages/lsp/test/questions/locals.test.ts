import { expect, test } from 'vitest';
import { readPathRoots, Scope } from '@rootward/core';
import { withoutLocals } from '../../src/questions/locals.js';
import { Folder } from '../fixtures/folder.js';

const SOURCES = {
  'a.py': 'class Cart:\n    size = 1\n    def put(self, thing):\n        count = 1\n',
  'a.ts':
    'namespace Shop { export const open = 1; }\nexport const run = async (x: number) => x;\nclass Box { #lid(): void {} }\n',
  'a.go': 'type Router struct { size int }\n\nfunc (r *Router) Handle(path string) { size := 1 }\n',
  'a.lua': 'Shop = {}\nShop.size = 1\n',
} as const;

test.each([
  ['a.py', 'Cart', true],
  ['a.py', 'Cart.put', false],
  ['a.ts', 'Shop', true],
  ['a.ts', 'run', false],
  ['a.ts', 'Box', true],
  ['a.ts', 'Box.#lid', false],
  ['a.go', 'Router', true],
  ['a.go', 'Handle', false],
  ['a.lua', 'Shop', true],
  ['a.lua', '(anonymous)', true],
] as const)('withoutLocals(): a value of %s in %s is kept: %s', async (name, container, isKept) => {
  using folder = new Folder(SOURCES);
  const { roots } = await readPathRoots([{ path: folder.path }], { source: 'flag', home: '/nonexistent' });
  const value = { name: 'value', kind: 'variable', line: 1, file: folder.at(name), container };
  const inner = { ...value, kind: 'function' };
  const kept = await withoutLocals(new Scope({ roots }), [value, inner]);
  expect(kept).toEqual(isKept ? [value, inner] : [inner]);
});
