import { afterEach, expect, test } from 'vitest';
import { definition, findSymbol, outline, references, type CodeContext } from '@rootward/lsp';
import { SyntaxReader } from '@rootward/syntax';
import { CodeWorkspace } from '../fixtures/code-workspace.js';

const FILES = {
  'a/shop.py': 'LIMIT = 3\n\n\nclass Cart:\n    # Adds up.\n    def total(self):\n        return LIMIT\n',
  'a/other/shop.py': 'class Order:\n    def total(self):\n        return 0\n',
  'a/use.py': 'from shop import Cart\n\nCart().total()\n',
  'a/use.rb': 'def total; end\n',
  'a/notes.md': 'total\n',
};

const reader = new SyntaxReader();
let home: CodeWorkspace;

afterEach(() => home.dispose());

/** Nothing is installed here. */
async function open(withParser = true): Promise<CodeContext> {
  home = await CodeWorkspace.open(FILES, 'a');
  const code = home.serve({ environment: { PATH: '' } });
  return withParser ? { ...code, syntax: () => Promise.resolve(reader) } : code;
}

test('outline() without a server is made by a parser, and says so', async () => {
  const code = await open();
  const found = await outline(code, { file: home.at('a/shop.py') });
  expect(found).toMatchObject({
    from: 'syntax',
    symbols: [
      { name: 'LIMIT', line: 1 },
      { name: 'Cart', kind: 'class', line: 4, endLine: 7, children: [{ name: 'total', line: 6 }] },
    ],
  });
  expect(found.notes).toEqual([
    expect.stringContaining('syntax alone'),
    expect.stringContaining('pyright is not installed'),
  ]);
  const { symbols } = await outline(code, { file: home.at('a/shop.py'), body: true });
  expect(symbols[1]!.children![0]!.source).toBe('    # Adds up.\n    def total(self):\n        return LIMIT');
});

test('definition() without a server gives declarations of that name, those of the file first', async () => {
  const code = await open();
  const all = await definition(code, { symbol: 'total', file: home.at('a/use.py') });
  expect(all).toMatchObject({
    from: 'syntax',
    definitions: [
      { file: home.at('a/shop.py'), line: 6, source: expect.stringContaining('def total') },
      { file: home.at('a/other/shop.py'), line: 2 },
    ],
  });
  const member = await definition(code, { symbol: 'Cart.total', file: home.at('a/use.py') });
  expect(member.definitions).toMatchObject([{ file: home.at('a/shop.py'), line: 6 }]);
});

test('findSymbol() without a server looks through all languages that a parser knows, and is not complete', async () => {
  const found = await findSymbol(await open(), { query: 'tot' });
  expect(found).toMatchObject({ from: 'syntax', total: 3, complete: false, searched: true });
  expect(found.files.map(({ file }) => file)).toEqual(
    ['a/other/shop.py', 'a/shop.py', 'a/use.rb'].map((name) => home.at(name)),
  );
});

test('without a server and a parser questions fail as before, and findSymbol() has not searched', async () => {
  const code = await open(false);
  await expect(outline(code, { file: home.at('a/shop.py') })).rejects.toMatchObject({
    code: 'not-installed',
  });
  expect(await findSymbol(code, { query: 'total' })).toMatchObject({ total: 0, searched: false });
});

test('a parser does not answer what it cannot know', async () => {
  const code = await open();
  const uses = references(code, { symbol: 'total', file: home.at('a/shop.py') });
  await expect(uses).rejects.toMatchObject({ code: 'not-installed' });
  await expect(outline(code, { file: home.at('a/notes.md') })).rejects.toMatchObject({ code: 'no-server' });
});
