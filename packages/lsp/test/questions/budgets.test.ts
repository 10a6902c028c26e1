import { afterEach, beforeEach, expect, test } from 'vitest';
import { pathToFileUri, type Timer } from '@rootward/core';
import {
  definition,
  diagnostics,
  EditJournal,
  findSymbol,
  outline,
  references,
  renameSymbol,
} from '@rootward/lsp';
import type { CodeContext, ServerDefinition } from '@rootward/lsp';
import { CodeWorkspace } from '../fixtures/code-workspace.js';
import { FakeClock } from '../../../../testing/fake-clock.js';
import { scripted } from '../fixtures/scripted.js';

let home: CodeWorkspace;

beforeEach(async () => {
  home = await CodeWorkspace.open({ 'root/a.toy': 'word\n' }, 'root');
});

afterEach(() => home.dispose());

function serve(server: ServerDefinition): CodeContext {
  return home.serve({ servers: [server], limits: { settleTimeout: 50 } });
}

/** A clock that jumps over the wait for a server that says nothing. */
class HastyClock extends FakeClock {
  override setTimeout(callback: () => void, delay: number): Timer {
    const timer = super.setTimeout(callback, delay);
    if (delay === 20_000) setImmediate(() => this.advance(delay));
    return timer;
  }
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
  const toy = { ...scripted(script, { folders: 'file-driven' }), answersInOrder: true };
  const result = await findSymbol(serve(toy), { query: 'word' });
  expect(result).toMatchObject({ total: 150, truncated: true, complete: true });
  expect(result.notes).toEqual(['150 were found; the best 100 are listed']);
  const listed = result.files.flatMap((file) => file.symbols);
  expect(listed).toHaveLength(100);
  expect(listed[0]).toMatchObject({ name: 'word', line: 150 });
});

test('definition() cuts a source that is one endless line', async () => {
  home.write({ 'root/a.toy': `word ${'x'.repeat(100_000)}\n` });
  const file = home.at('root/a.toy');
  const answers = { 'textDocument/definition': { uri: pathToFileUri(file), range: lineRange(0) } };
  const script = { capabilities: { definitionProvider: true }, answers };
  const toy = { ...scripted(script, { folders: 'file-driven' }), answersInOrder: true };
  const { definitions } = await definition(serve(toy), { symbol: 'word', file });
  expect(definitions).toHaveLength(1);
  expect(definitions[0]!.source.length).toBeLessThan(10_000);
});

test('what is cut never ends with half a character, which many clients cannot read', async () => {
  // Of each pair of texts, one is cut inside a smiley.
  for (const start of ['word', 'word_']) {
    const line = `${start.replace('_', ' ')}${'😀'.repeat(10_000)}`;
    home.write({ 'root/a.toy': `${line}\n` });
    const file = home.at('root/a.toy');
    const here = { uri: pathToFileUri(file), range: lineRange(0) };
    const script = {
      capabilities: {
        definitionProvider: true,
        diagnosticProvider: {},
        hoverProvider: true,
        referencesProvider: true,
        renameProvider: true,
      },
      answers: {
        'textDocument/definition': here,
        'textDocument/diagnostic': { kind: 'full', items: [{ range: lineRange(0), message: line }] },
        'textDocument/documentSymbol': [
          { name: line, kind: 12, range: lineRange(0), selectionRange: lineRange(0) },
        ],
        'textDocument/hover': { contents: line },
        'textDocument/references': [here],
        'textDocument/rename': { changes: { [here.uri]: [{ range: lineRange(0), newText: 'name' }] } },
      },
    };
    const code = serve({ ...scripted(script, { folders: 'file-driven' }), answersInOrder: true });
    const request = { symbol: 'word', file, newName: 'name' };
    const answers = [
      await definition(code, request),
      await diagnostics(code, request),
      await outline(code, request),
      await references(code, request),
      await renameSymbol(code, request, new EditJournal(home.at('journal'))),
    ];
    for (const answer of answers) expect(JSON.stringify(answer)).not.toMatch(/\\ud[89a-f]/i);
    await home.servers.dispose();
  }
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
  for (const cursor of ['x', '61']) {
    await expect(diagnostics(code, { cursor })).rejects.toMatchObject({ code: 'invalid-option' });
  }
});

test('a page of diagnostics() ends where much time has passed', async () => {
  for (let index = 0; index < 3; index += 1) home.write({ [`root/f${index}.toy`]: 'x\n' });
  // It never says anything, so every file is waited for.
  const servers = [scripted({}, { folders: 'file-driven' })];
  const code = home.serve({ servers, clock: new HastyClock(), limits: { settleTimeout: 20_000 } });
  const first = await diagnostics(code, {});
  const second = await diagnostics(code, { cursor: first.nextCursor });
  expect([first.checked, first.complete, first.nextCursor]).toEqual([2, false, '2']);
  expect([second.checked, second.complete, second.nextCursor]).toEqual([2, false, undefined]);
});

test('a page of diagnostics() ends where its messages are long', async () => {
  for (let index = 0; index < 9; index += 1) home.write({ [`root/f${index}.toy`]: 'x\n' });
  const items = Array.from({ length: 25 }, () => ({ range: lineRange(0), message: 'long '.repeat(700) }));
  const answers = { 'textDocument/diagnostic': { kind: 'full', items } };
  const code = serve(
    scripted({ capabilities: { diagnosticProvider: {} }, answers }, { folders: 'file-driven' }),
  );
  const first = await diagnostics(code, {});
  expect(first).toMatchObject({ checked: 3, complete: true, nextCursor: '3' });
  expect((await diagnostics(code, { cursor: first.nextCursor })).checked).toBe(3);
});

test('renameSymbol() shows the first thousand lines, and counts the others', async () => {
  const text = 'word\n'.repeat(150);
  const names = Array.from({ length: 12 }, (_, index) => `root/f${index}.toy`);
  home.write(Object.fromEntries(names.map((name) => [name, text])));
  const range = { start: { line: 0, character: 0 }, end: { line: 150, character: 0 } };
  const edits = [{ range, newText: text.replaceAll('word', 'name') }];
  const changes = Object.fromEntries(names.map((name) => [pathToFileUri(home.at(name)), edits]));
  const script = { capabilities: { renameProvider: true }, answers: { 'textDocument/rename': { changes } } };
  const code = serve({ ...scripted(script, { folders: 'file-driven' }), answersInOrder: true });
  const request = { symbol: 'word', file: home.at('root/f0.toy'), newName: 'name' };
  const result = await renameSymbol(code, request, new EditJournal(home.at('journal')));
  expect(result).toMatchObject({
    edits: 12,
    complete: true,
    notes: ['800 more changed lines are not shown'],
  });
  expect(result.files).toHaveLength(12);
  expect(result.files.flatMap(({ lines }) => lines)).toHaveLength(1_000);
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

test('findSymbol() is not complete when a server fails', async () => {
  const failing = serve(scripted({ crash: 'on-start' }, { folders: 'file-driven' }));
  expect(await findSymbol(failing, { query: 'word' })).toMatchObject({ complete: false, total: 0 });
});

test('findSymbol() is complete when one language of several is not served, and not when none is', async () => {
  const missing = { ...scripted({}, { name: 'missing', extension: '.gone' }), commands: ['no-such-server'] };
  home.write({ 'root/b.gone': 'word\n' });
  const served = home.serve({ servers: [scripted({}, { folders: 'per-root' }), missing] });
  expect(await findSymbol(served, { query: 'word' })).toMatchObject({
    complete: true,
    notes: ['no server is installed for Toy'],
  });
  home.write({ 'root/c.gone': '', 'root/d.gone': '' });
  const notes = [expect.stringMatching(/is not installed. Run: /)];
  expect(await findSymbol(served, { query: 'nowhere' })).toMatchObject({ complete: false, notes });
  await home.servers.dispose();
  expect(await findSymbol(serve(missing), { query: 'word' })).toMatchObject({ complete: false, notes });
});

test('diagnostics() of a root are not complete when a server fails, and are when a language is not served', async () => {
  home.write({ 'root/b.other': 'x' });
  const answers = { 'textDocument/diagnostic': { kind: 'full', items: [] } };
  const toy = scripted({ capabilities: { diagnosticProvider: {} }, answers }, { folders: 'file-driven' });
  const other = scripted({ crash: 'on-start' }, { name: 'other', extension: '.other' });
  const limits = { settleTimeout: 0 };
  const missing = home.serve({ servers: [toy, { ...other, commands: ['no-such-server'] }], limits });
  expect(await diagnostics(missing, {})).toMatchObject({
    checked: 1,
    complete: true,
    notes: [expect.stringContaining('not installed')],
  });
  const failing = home.serve({ servers: [toy, other], limits });
  expect(await diagnostics(failing, {})).toMatchObject({ checked: 1, complete: false });
});

test('diagnostics() of a root are complete where one language of several is served, and not where none is', async () => {
  const missing = { ...scripted({}, { name: 'missing', extension: '.gone' }), commands: ['no-such-server'] };
  home.write(Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`root/0/${index}.gone`, ''])));
  const notes = [expect.stringContaining('is not installed')];
  // The first page has no file of a language that is served.
  const served = home.serve({ servers: [scripted({}, { folders: 'file-driven' }), missing] });
  expect(await diagnostics(served, {})).toMatchObject({ checked: 0, complete: true, notes });
  await home.servers.dispose();
  expect(await diagnostics(serve(missing), {})).toMatchObject({ checked: 0, complete: false, notes });
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
  const toy = { ...scripted(script, { folders: 'shared' }), ready: /never said/ };
  const request = { symbol: 'word', file: home.at('root/a.toy'), newName: 'other', apply: true };
  const journal = new EditJournal(home.at('journal'));
  expect(await references(serve(toy), request)).toMatchObject({ total: 1, complete: false });
  await home.servers.dispose();
  expect(await findSymbol(serve(toy), { query: 'word' })).toMatchObject({ total: 1, complete: false });
  await home.servers.dispose();
  const code = serve(toy);
  expect(home.servers.status()).toEqual([]);
  await expect(renameSymbol(code, request, journal)).rejects.toMatchObject({ code: 'edit-refused' });
  expect((await home.workspace.scope().readText(request.file)).text).toBe('word\n');
});
