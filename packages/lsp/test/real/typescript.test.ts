import { readFileSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { definition, diagnostics, findSymbol, outline, references } from '@rootward/lsp';
import { CodeWorkspace } from '../fixtures/code-workspace.js';
import { environment, known } from '../fixtures/real-servers.js';

const A = 'a %41 ü';

let home: CodeWorkspace;

beforeAll(async () => {
  const files = {
    [`${A}/tsconfig.json`]: '{ "compilerOptions": { "strict": true } }',
    [`${A}/cart.ts`]:
      '// total is here\nexport class Cart {\n  /** The sum. */\n  total(): number {\n    return 1;\n  }\n}\nexport const total = 2;\n',
    [`${A}/use.ts`]: "import { Cart } from './cart';\n\nconst bad: number = new Cart();\nbad;\n",
    [`${A}/report.ts`]: "import { sum } from '../b/shop';\n\nexport const report = sum;\n",
    'b/tsconfig.json': '{ "compilerOptions": { "strict": true } }',
    'b/shop.ts': `import { Cart } from '../${A}/cart';\n\nexport const sum = new Cart().total();\n`,
  };
  home = await CodeWorkspace.open(files, A, 'b');
  home.serve({ servers: known('typescript'), environment });
});

afterAll(() => home.dispose());

test('references span projects in different roots', async () => {
  const found = await references(home.context(), { symbol: 'Cart', file: home.at(A, 'cart.ts') });
  expect(found.files.map(({ file }) => file)).toEqual([
    home.at(A, 'cart.ts'),
    home.at(A, 'use.ts'),
    home.at('b/shop.ts'),
  ]);
  expect(found).toMatchObject({ total: 5, complete: true, outside: 0 });
});

test('a rename from a file that imports the symbol is one of the symbol, not of its name there', async () => {
  home.write({
    'b/named.ts': 'export const named = 1;\n',
    'b/naming.ts': "import { named } from './named';\n\nexport const naming = named;\n",
  });
  const files = [home.at('b/named.ts'), home.at('b/naming.ts')];
  expect(await home.rename('named', home.at('b/naming.ts'))).toMatchObject({
    applied: true,
    edits: 3,
    files: files.map((file) => ({ file })),
  });
  for (const file of files) {
    expect(readFileSync(file, 'utf8')).not.toMatch(/\bnamed\b(?!')/);
    rmSync(file);
  }
});

function counter(name: string): string {
  return `export class Counter {\n  ${name} = 1;\n  next(): number {\n    return this.${name}++;\n  }\n}\n`;
}

test.each(['#count', 'Counter.#count'])(
  'a rename of the private field %s keeps it private',
  async (symbol) => {
    const file = home.at('b/counter.ts');
    home.write({ 'b/counter.ts': counter('#count') });
    expect(await home.rename(symbol, file, '#total')).toMatchObject({ applied: true, edits: 2 });
    expect(readFileSync(file, 'utf8')).toBe(counter('#total'));
    rmSync(file);
  },
);

test('a name with what it is in finds the member, not its namesake', async () => {
  const found = await definition(home.context(), { symbol: 'Cart.total', file: home.at(A, 'cart.ts') });
  expect(found.definitions).toMatchObject([{ line: 4 }]);
  expect(found.hover).toContain('The sum.');
});

test('a name with what it is in finds the member where it is used or mentioned, not what it is in', async () => {
  home.write({
    'b/box.ts':
      '/** See Box.open. */\nexport class Box {\n  static open(): number {\n    return 1;\n  }\n}\n',
    'b/user.ts': "import { Box } from './box';\n\nBox.open();\n",
  });
  for (const name of ['box.ts', 'user.ts']) {
    const found = await definition(home.context(), { symbol: 'Box.open', file: home.at('b', name) });
    expect(found.definitions).toMatchObject([{ file: home.at('b/box.ts'), line: 3 }]);
  }
});

test('a line that is a little off is a hint, not a condition', async () => {
  const found = await definition(home.context(), { symbol: 'total', file: home.at(A, 'cart.ts'), line: 9 });
  expect(found.definitions).toMatchObject([{ line: 8 }]);
});

test('a word that is not there is said to be missing', async () => {
  const asked = definition(home.context(), { symbol: 'absent', file: home.at(A, 'cart.ts') });
  await expect(asked).rejects.toMatchObject({ code: 'symbol-not-found' });
});

test('findSymbol() finds declarations in every root', async () => {
  const { files, complete } = await findSymbol(home.context(), { query: 'sum' });
  expect(files).toMatchObject([{ file: home.at('b/shop.ts'), symbols: [{ name: 'sum', line: 3 }] }]);
  expect(complete).toBe(true);
});

test('findSymbol() keeps to the root it is given', async () => {
  const found = await findSymbol(home.context(), { query: 'cart', root: 'b' });
  expect(found.files).toEqual([]);
});

function declare(count: number): string {
  return Array.from({ length: count }, (_, index) => `export const many_${index} = ${index};\n`).join('');
}

test('findSymbol() says that TypeScript stopped counting', async () => {
  home.write({ 'b/many.ts': declare(255) });
  expect(await findSymbol(home.context(), { query: 'many_' })).toMatchObject({ total: 255, complete: true });
  home.write({ 'b/many.ts': declare(300) });
  const { total, complete, notes } = await findSymbol(home.context(), { query: 'many_' });
  expect({ total, complete }).toEqual({ total: 256, complete: false });
  expect(notes[0]).toMatch(/^typescript stopped at 256 symbols/);
  expect(await findSymbol(home.context(), { query: 'many_29' })).toMatchObject({ total: 11, complete: true });
});

test('outline() is a tree', async () => {
  const { symbols } = await outline(home.context(), { file: home.at(A, 'cart.ts') });
  expect(symbols).toMatchObject([
    { name: 'Cart', kind: 'class', line: 2, endLine: 7, children: [{ name: 'total', line: 4 }] },
    { name: 'total', line: 8 },
  ]);
});

test('diagnostics() of a root name the file, the line and what is wrong', async () => {
  const report = await diagnostics(home.context(), { root: home.at(A) });
  expect(report).toMatchObject({ checked: 3, complete: true });
  expect(report.files).toMatchObject([
    { file: home.at(A, 'use.ts'), diagnostics: [{ line: 3, severity: 'error', code: '2322' }] },
  ]);
});

test('after a root is removed nothing of it comes back, in any tool', async () => {
  await home.giveRoots('b');
  const file = home.at(A, 'cart.ts');
  const refused = { code: 'outside-roots' };
  await expect(outline(home.context(), { file })).rejects.toMatchObject(refused);
  await expect(definition(home.context(), { symbol: 'Cart', file })).rejects.toMatchObject(refused);
  await expect(references(home.context(), { symbol: 'Cart', file })).rejects.toMatchObject(refused);
  await expect(diagnostics(home.context(), { file })).rejects.toMatchObject(refused);
  await expect(home.rename('Cart', file)).rejects.toMatchObject(refused);
  const shop = home.at('b/shop.ts');
  // The compiler follows the import on disk; what it finds there is held back.
  const answers = [
    await findSymbol(home.context(), { query: 'Cart' }),
    await definition(home.context(), { symbol: 'Cart', file: shop }),
    await references(home.context(), { symbol: 'Cart', file: shop }),
    await outline(home.context(), { file: shop }),
    await diagnostics(home.context(), {}),
  ];
  expect(JSON.stringify(answers)).not.toContain('cart.ts');
  expect(answers[1]).toMatchObject({ definitions: [], outside: 1 });
  expect(answers[2]).toMatchObject({ files: [{ file: shop }], outside: 1 });
  const before = readFileSync(home.at(A, 'report.ts'), 'utf8');
  await expect(home.rename('Cart', shop)).rejects.toMatchObject({
    code: 'edit-refused',
    message: expect.stringContaining('outside the roots'),
  });
  expect(await home.rename('sum', shop)).toMatchObject({ applied: true, edits: 1, files: [{ file: shop }] });
  expect(readFileSync(home.at(A, 'report.ts'), 'utf8')).toBe(before);
});
