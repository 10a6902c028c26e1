import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { pathToFileUri } from '@rootward/core';
import {
  definition,
  findSymbol,
  references,
  renameSymbol,
  symbolRelations,
  EditJournal,
} from '@rootward/lsp';
import type { CodeContext } from '@rootward/lsp';
import { CodeWorkspace } from '../fixtures/code-workspace.js';
import { environment, known } from '../fixtures/real-servers.js';
import { scripted } from '../fixtures/scripted.js';

const MEGABYTE = 1024 * 1024;
const SHOP = "import { price } from '../a/library';\n\nprice();\n";

let home: CodeWorkspace;
let code: CodeContext;

beforeEach(async () => {
  const files = {
    'a/tsconfig.json': '{}',
    'a/library.ts': 'export function price(): number {\n  return 1;\n}\n',
    'b/tsconfig.json': '{ "files": ["shop.ts"] }',
    'b/shop.ts': SHOP,
  };
  home = await CodeWorkspace.open(files, 'a', 'b');
  code = home.serve({ servers: known('typescript'), environment });
});

afterEach(() => home.dispose());

/** Something else, then the text, where only a look at all of it finds it. */
function generated(text: string): string {
  return `${'// filler\n'.repeat(Math.ceil((2.5 * MEGABYTE) / 10))}${text}`;
}

function request() {
  return { symbol: 'price', file: home.at('a/library.ts') };
}

test('a file that is too large to be shown is named in the answers it could have added to', async () => {
  home.write({ 'b/large.ts': generated(SHOP) });
  const note = `typescript was not shown "${home.at('b/large.ts')}" (too large)`;
  const expected = { complete: false, notes: [note] };
  expect(await references(code, request())).toMatchObject({ ...expected, total: 3 });
  expect(await findSymbol(code, { query: 'price' })).toMatchObject({ ...expected, total: 1 });
  expect(await symbolRelations(code, { ...request(), kind: 'callers' })).toMatchObject(expected);
  expect(await symbolRelations(code, { ...request(), kind: 'implementations' })).toMatchObject(expected);
  expect(await symbolRelations(code, { ...request(), kind: 'callees' })).toMatchObject({ complete: true });
  const journal = new EditJournal(home.at('journal'));
  const rename = { ...request(), newName: 'cost' };
  expect(await renameSymbol(code, rename, journal)).toMatchObject({ ...expected, applied: false });
  await expect(renameSymbol(code, { ...rename, apply: true }, journal)).rejects.toMatchObject({
    code: 'edit-refused',
    message: `Cannot rename: ${note}, and half a rename breaks code`,
  });
  expect(readFileSync(home.at('b/shop.ts'), 'utf8')).toBe(SHOP);
});

test('a large file that does not mention the word, or that git ignores, changes no answer', async () => {
  home.write({
    'b/large.ts': generated('export const other = 1;\n'),
    'b/.gitignore': 'made.ts\n',
    'b/made.ts': generated(SHOP),
    // A film has the same ending.
    'b/film.ts': `\0\0${'price'.repeat(MEGABYTE)}`,
  });
  expect(await references(code, request())).toMatchObject({ complete: true, notes: [], total: 3 });
  expect(await home.rename('price', home.at('a/library.ts'))).toMatchObject({ applied: true, notes: [] });
});

test('a large file that the server finds by itself is no gap', async () => {
  home.write({ 'b/tsconfig.json': '{}', 'b/large.ts': generated(SHOP) });
  expect(await references(code, request())).toMatchObject({ complete: true, notes: [], total: 5 });
  expect(await home.rename('price', home.at('a/library.ts'))).toMatchObject({ applied: true, edits: 5 });
  expect(readFileSync(home.at('b/large.ts'), 'utf8')).toContain('other();');
});

test('the large file that is asked about is open, and not named as one that is not', async () => {
  home.write({ 'b/large.ts': generated('export function lonely(): void {}\n') });
  const asked = { symbol: 'lonely', file: home.at('b/large.ts') };
  expect(await references(code, asked)).toMatchObject({ complete: true, notes: [], total: 1 });
});

test('a file in another encoding is named where it mentions the word', async () => {
  writeFileSync(home.at('b/old.ts'), Buffer.from(`// h\xe9\n${SHOP}`, 'latin1'));
  writeFileSync(home.at('b/other.ts'), Buffer.from('// h\xe9\n', 'latin1'));
  expect(await references(code, request())).toMatchObject({
    complete: false,
    notes: [`typescript was not shown "${home.at('b/old.ts')}" (not UTF-8 text)`],
  });
});

test('definition() names the files that were not shown where it finds nothing', async () => {
  home.write({ 'a/x.toy': 'word\n', 'a/large.toy': generated('word\n') });
  const script = { capabilities: { definitionProvider: true }, answers: { 'textDocument/definition': null } };
  const toy = { ...scripted(script, { folders: 'file-driven' }), answersInOrder: true };
  const found = await definition(home.serve({ servers: [toy] }), {
    symbol: 'word',
    file: home.at('a/x.toy'),
  });
  expect(found).toMatchObject({
    definitions: [],
    notes: [`scripted was not shown "${home.at('a/large.toy')}" (too large)`],
  });
});

test('definition() gives the place in a file that cannot be opened, without its source', async () => {
  home.write({ 'a/x.toy': 'word\n', 'a/huge.toy': generated(generated('word\n')) });
  const start = { line: 7, character: 0 };
  const target = { uri: pathToFileUri(home.at('a/huge.toy')), range: { start, end: start } };
  const script = {
    capabilities: { definitionProvider: true },
    answers: { 'textDocument/definition': target },
  };
  const toy = { ...scripted(script, { folders: 'file-driven' }), answersInOrder: true };
  const asked = { symbol: 'word', file: home.at('a/x.toy') };
  expect(await definition(home.serve({ servers: [toy] }), asked)).toMatchObject({
    definitions: [{ file: home.at('a/huge.toy'), line: 8, endLine: 8, source: '' }],
    notes: [`scripted was not shown "${home.at('a/huge.toy')}" (too large)`],
  });
});

test('withDocuments() tells of further files that cannot be opened, but not of those that went away', async () => {
  home.write({ 'b/huge.ts': generated(generated('')) });
  const { servers, scope } = code;
  const further = ['b/huge.ts', 'b/gone.ts', 'b/shop.ts'].map((name) => home.at(name));
  const seen = await servers.ask(scope, home.at('b/shop.ts'), (instance) =>
    instance.withDocuments({ scope, paths: [], further }, async (documents, unshown) => {
      return { documents: documents.map(({ path }) => path), unshown };
    }),
  );
  expect(seen).toEqual({
    documents: [home.at('b/shop.ts')],
    unshown: [{ path: home.at('b/huge.ts'), reason: 'too large' }],
  });
});
