import { afterEach, beforeEach, expect, test } from 'vitest';
import { pathToFileUri } from '@rootward/core';
import { diagnostics, EditJournal, findSymbol, outline, references, renameSymbol } from '@rootward/lsp';
import type { CodeContext, ServerDefinition } from '@rootward/lsp';
import { CodeWorkspace } from '../fixtures/code-workspace.js';
import { scripted } from '../fixtures/scripted.js';

let home: CodeWorkspace;

beforeEach(async () => {
  home = await CodeWorkspace.open({ 'root/a.toy': 'word\n' }, 'root');
});

afterEach(() => home.dispose());

function serve(definition: ServerDefinition): CodeContext {
  return home.serve({ servers: [definition], limits: { settleTimeout: 50 } });
}

function lineRange(line: number) {
  return { start: { line, character: 0 }, end: { line, character: 4 } };
}

function symbols(count: number, children: readonly object[] = []): readonly object[] {
  return Array.from({ length: count }, (_, line) => {
    return { name: `s${line}`, kind: 12, range: lineRange(line), selectionRange: lineRange(line), children };
  });
}

test('outline() leaves out inner symbols to stay within its budget, and says so', async () => {
  const answers = { 'textDocument/documentSymbol': symbols(220, symbols(1)) };
  const { symbols: listed, truncated } = await outline(
    serve(scripted({ answers }, { folders: 'file-driven' })),
    { file: home.at('root/a.toy') },
  );
  expect(listed).toHaveLength(220);
  expect(listed.every(({ children }) => children === undefined)).toBe(true);
  expect(truncated).toBe(true);
});

test('findSymbol() lists the best hundred and counts all', async () => {
  const uri = pathToFileUri(home.at('root/a.toy'));
  const found = Array.from({ length: 150 }, (_, line) => {
    return {
      name: line === 149 ? 'word' : `word_${line}`,
      kind: 12,
      location: { uri, range: lineRange(line) },
    };
  });
  const script = { capabilities: { workspaceSymbolProvider: true }, answers: { 'workspace/symbol': found } };
  const definition = { ...scripted(script, { folders: 'file-driven' }), answersInOrder: true };
  const result = await findSymbol(serve(definition), { query: 'word' });
  expect(result).toMatchObject({ total: 150, truncated: true, complete: true });
  expect(result.notes).toEqual(['150 were found; the best 100 are listed']);
  const listed = result.files.flatMap((file) => file.symbols);
  expect(listed).toHaveLength(100);
  expect(listed[0]).toMatchObject({ name: 'word', line: 150 });
});

test('diagnostics() of a root come in pages of files', async () => {
  for (let index = 0; index < 60; index += 1) home.write({ [`root/f${index}.toy`]: 'x\n' });
  const items = [{ range: lineRange(0), message: 'wrong' }];
  const answers = { 'textDocument/diagnostic': { kind: 'full', items } };
  const code = serve(
    scripted({ capabilities: { diagnosticProvider: {} }, answers }, { folders: 'file-driven' }),
  );
  const first = await diagnostics(code, {});
  const second = await diagnostics(code, { cursor: first.nextCursor });
  expect([first.checked, second.checked]).toEqual([50, 11]);
  expect(second.nextCursor).toBeUndefined();
  const files = [...first.files, ...second.files].map(({ file }) => file);
  expect(new Set(files).size).toBe(61);
  await expect(diagnostics(code, { cursor: 'x' })).rejects.toMatchObject({ code: 'invalid-option' });
});

test('diagnostics() of a file are the first fifty, and the rest is counted', async () => {
  const items = Array.from({ length: 51 }, (_, line) => ({ range: lineRange(line), message: 'wrong' }));
  const answers = { 'textDocument/diagnostic': { kind: 'full', items } };
  const code = serve(
    scripted({ capabilities: { diagnosticProvider: {} }, answers }, { folders: 'file-driven' }),
  );
  const file = home.at('root/a.toy');
  for (const request of [{ file }, {}]) {
    const { files, notes } = await diagnostics(code, request);
    expect(files[0]?.diagnostics).toHaveLength(50);
    expect(notes).toEqual([`"${file}" has 51; the first 50 are shown`]);
  }
});

test('findSymbol() is not complete when a server fails, and is when a language is not served', async () => {
  const failing = serve(scripted({ crash: 'on-start' }, { folders: 'file-driven' }));
  expect(await findSymbol(failing, { query: 'word' })).toMatchObject({ complete: false, total: 0 });
  await home.servers.dispose();
  const missing = serve({ ...scripted({}), commands: ['no-such-toy-server'] });
  const { complete, notes } = await findSymbol(missing, { query: 'word' });
  expect([complete, notes.length]).toEqual([true, 1]);
});

test('what a server says before it has looked through its files is called incomplete, and not applied', async () => {
  const uri = pathToFileUri(home.at('root/a.toy'));
  const range = lineRange(0);
  const script = {
    capabilities: { referencesProvider: true, renameProvider: true, workspaceSymbolProvider: true },
    answers: {
      'textDocument/references': [{ uri, range }],
      'textDocument/rename': { changes: { [uri]: [{ range, newText: 'other' }] } },
      'workspace/symbol': [{ name: 'word', kind: 12, location: { uri, range } }],
    },
  };
  const definition = { ...scripted(script, { folders: 'shared' }), ready: /never said/ };
  const request = { symbol: 'word', file: home.at('root/a.toy'), newName: 'other', apply: true };
  const journal = new EditJournal(home.at('journal'));
  expect(await references(serve(definition), request)).toMatchObject({ total: 1, complete: false });
  await home.servers.dispose();
  expect(await findSymbol(serve(definition), { query: 'word' })).toMatchObject({ total: 1, complete: false });
  await home.servers.dispose();
  const code = serve(definition);
  expect(home.servers.status()).toEqual([]);
  await expect(renameSymbol(code, request, journal)).rejects.toMatchObject({ code: 'edit-refused' });
  expect((await home.workspace.scope().readText(request.file)).text).toBe('word\n');
});
