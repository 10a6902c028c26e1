import { afterEach, expect, test } from 'vitest';
import { pathToFileUri } from '@rootward/core';
import { symbolRelations } from '@rootward/lsp';
import { CodeWorkspace } from '../fixtures/code-workspace.js';
import { scripted } from '../fixtures/scripted.js';

let home: CodeWorkspace;

afterEach(() => home.dispose());

test.each([
  ['callers', {}],
  ['implementations', { implementationProvider: true }],
  ['subtypes', { typeHierarchyProvider: true }],
] as const)(
  '%s name a file that mentions the symbol and that the server leaves out',
  async (kind, offered) => {
    home = await CodeWorkspace.open({ 'a/one.toy': 'price', 'a/two.toy': 'price' }, 'a');
    const file = home.at('a/one.toy');
    const place = { start: { line: 0, character: 0 }, end: { line: 0, character: 5 } };
    const toy = scripted(
      {
        capabilities: { definitionProvider: true, referencesProvider: true, ...offered },
        answers: {
          'textDocument/definition': null,
          'textDocument/references': [{ uri: pathToFileUri(file), range: place }],
          'textDocument/implementation': null,
          'textDocument/prepareTypeHierarchy': null,
          'textDocument/documentSymbol': [{ name: 'price', kind: 12, range: place, selectionRange: place }],
        },
      },
      { folders: 'file-driven' },
    );
    const code = home.serve({ servers: [{ ...toy, answersInOrder: true }] });
    expect(await symbolRelations(code, { symbol: 'price', file, kind })).toMatchObject({
      related: [],
      complete: false,
      notes: [
        `scripted leaves out "${home.at('a/two.toy')}" (line 1: scripted does not say what it means), where "price" stands too`,
      ],
    });
  },
);

test('implementations of a server that does not offer uses are given, and never complete', async () => {
  home = await CodeWorkspace.open({ 'a/one.toy': 'price' }, 'a');
  const file = home.at('a/one.toy');
  const place = { start: { line: 0, character: 0 }, end: { line: 0, character: 5 } };
  const toy = scripted({
    capabilities: { implementationProvider: true },
    answers: {
      'textDocument/implementation': [{ uri: pathToFileUri(file), range: place }],
      'textDocument/documentSymbol': [{ name: 'price', kind: 12, range: place, selectionRange: place }],
    },
  });
  const code = home.serve({ servers: [toy] });
  expect(await symbolRelations(code, { symbol: 'price', file, kind: 'implementations' })).toMatchObject({
    related: [{ file, name: 'price', line: 1 }],
    complete: false,
    notes: ['scripted does not offer the uses of a symbol, so nothing shows that these are all'],
  });
});
