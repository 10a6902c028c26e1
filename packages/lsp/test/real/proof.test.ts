import { readFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { references, symbolRelations } from '@rootward/lsp';
import { CodeWorkspace } from '../fixtures/code-workspace.js';
import { environment, known } from '../fixtures/real-servers.js';
import { isInstalled } from '../fixtures/repositories.js';

const LIMITS = { settleTimeout: 50_000, requestTimeout: 50_000 };

let home: CodeWorkspace;

afterEach(() => home.dispose());

async function open(server: string, files: Readonly<Record<string, string>>): Promise<void> {
  home = await CodeWorkspace.open(files, 'a');
  home.serve({ servers: known(server), environment, limits: LIMITS });
}

function uses(symbol: string, file: string): ReturnType<typeof references> {
  return references(home.context(), { symbol, file: home.at('a', file) });
}

const SHOP = 'def price(): return 1\n\n\n# price\ntext = "price"\n';

test('references() is complete where other places are comments, strings and other symbols', async () => {
  await open('pyright', {
    'a/shop.py': SHOP,
    'a/use.py': 'from shop import price\n\nprice()\n',
    'a/other.py': 'def price(): return 2\n\n\nprice()\n',
  });
  expect(await uses('price', 'shop.py')).toMatchObject({ total: 3, complete: true, notes: [] });
});

test.each([
  ['pyproject.toml', '[tool.pyright]\ninclude = ["src"]\n', 'include'],
  ['pyrightconfig.json', '{ "exclude": ["tests"] }', 'exclude'],
])('references() names a use that %s leaves out and pyright cannot resolve', async (name, text, key) => {
  await open('pyright', {
    [`a/${name}`]: text,
    'a/src/shop.py': SHOP,
    'a/tests/test_shop.py': 'from somewhere import thing\n\nthing().price()\n',
  });
  const { complete, notes } = await uses('price', 'src/shop.py');
  expect(complete).toBe(false);
  expect(notes).toEqual([expect.stringContaining(`left out by "${key}" in ${name}`)]);
  expect(notes[0]).toContain(`${home.at('a/tests/test_shop.py')}" (line 3`);
});

test('references() names a use beside others of the same file that the server does not resolve', async () => {
  await open('pyright', {
    'a/shop.py': 'class Cart:\n    def price(self): return 1\n',
    'a/use.py': 'from shop import Cart\n\n\ndef f(x):\n    return Cart().price() + x.price()\n',
  });
  const found = await uses('Cart.price', 'shop.py');
  expect(found).toMatchObject({ total: 2, complete: false });
  expect(found.notes[0]).toContain('use.py" (line 5: pyright does not say what it means)');
});

test('renameSymbol() refuses what is not proved, lists the places, and makes a part when it is allowed', async () => {
  await open('pyright', {
    'a/shop.py': 'class Cart:\n    def price(self): return 1\n',
    'a/use.py': 'def f(x):\n    return x.price()\n',
  });
  await expect(home.rename('Cart.price', home.at('a/shop.py'))).rejects.toMatchObject({
    code: 'edit-refused',
    message: expect.stringMatching(/use\.py" \(line 2: /),
    instruction: expect.stringContaining('allowPartial: true'),
  });
  expect(readFileSync(home.at('a/shop.py'), 'utf8')).toContain('def price');
});

test('references() of a file of TypeScript that no project includes counts its uses', async () => {
  await open('typescript', {
    'a/tsconfig.json': '{ "include": ["src"] }',
    'a/src/shop.ts': 'export function price(): number {\n  return 1;\n}\n',
    'a/tests/shop.test.ts': "import { price } from '../src/shop';\n\nprice();\n",
  });
  expect(await uses('price', 'src/shop.ts')).toMatchObject({ total: 3, complete: true });
});

test.skipIf(!isInstalled('gopls', 'go'))(
  'references() names a file that a build constraint leaves out (gopls, where installed)',
  async () => {
    await open('gopls', {
      'a/go.mod': 'module example.com/shop\n\ngo 1.19\n',
      'a/shop.go': 'package shop\n\nfunc Price() int { return 1 }\n',
      'a/use_windows.go': 'package shop\n\nvar used = Price()\n',
    });
    const { complete, notes } = await uses('Price', 'shop.go');
    expect(complete).toBe(false);
    expect(notes.join('\n')).toContain('may be left out by its build constraint');
  },
);

test('callers are complete only where all uses are', async () => {
  await open('pyright', {
    'a/shop.py': 'class Cart:\n    def price(self): return 1\n',
    'a/use.py': 'def f(x):\n    return x.price()\n',
  });
  const request = { symbol: 'Cart.price', file: home.at('a/shop.py'), kind: 'callers' } as const;
  expect(await symbolRelations(home.context(), request)).toMatchObject({ related: [], complete: false });
});

test('symbolRelations() of a name that is no symbol says so', async () => {
  await open('pyright', { 'a/shop.py': '# BaseCart was here.\ntext = "BaseCart"\nvalue = text.BaseItem\n' });
  const request = { file: home.at('a/shop.py'), kind: 'subtypes' } as const;
  await expect(symbolRelations(home.context(), { ...request, symbol: 'BaseCart' })).rejects.toMatchObject({
    code: 'symbol-not-found',
    message: expect.stringContaining('comments or strings'),
  });
  await expect(symbolRelations(home.context(), { ...request, symbol: 'BaseItem' })).rejects.toMatchObject({
    code: 'symbol-not-found',
  });
});
