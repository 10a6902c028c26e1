import { fork } from 'node:child_process';
import { readdirSync, readFileSync, symlinkSync, utimesSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { pathToFileUri, Scope } from '@rootward/core';
import { EditJournal, recoverEdits, renameSymbol } from '@rootward/lsp';
import type { RenameRequest, RenameResult } from '@rootward/lsp';
import { CodeWorkspace } from '../fixtures/code-workspace.js';
import { environment, known } from '../fixtures/real-servers.js';
import { scripted } from '../fixtures/scripted.js';

const LIBRARY = '\uFEFFexport function price(): number {\r\n  return 1;\r\n}\r\n';
const SHOP = "import { price } from '../a/library';\n\nprice();\n";

let home: CodeWorkspace;
let journal: EditJournal;

beforeEach(async () => {
  const files = {
    'a/tsconfig.json': '{}',
    'a/library.ts': LIBRARY,
    'b/tsconfig.json': '{}',
    'b/shop.ts': SHOP,
  };
  home = await CodeWorkspace.open(files, 'a', 'b');
  home.serve({ servers: known('typescript'), environment });
  journal = new EditJournal(home.at('journal'));
});

afterEach(() => home.dispose());

function rename(more: Partial<RenameRequest> = {}, scope?: Scope): Promise<RenameResult> {
  const request = { symbol: 'price', file: home.at('a/library.ts'), newName: 'cost', ...more };
  return renameSymbol(home.context(scope), request, journal);
}

function edit(line: number) {
  return { range: { start: { line, character: 0 }, end: { line, character: 5 } }, newText: 'cost' };
}

function texts(): readonly string[] {
  return ['a/library.ts', 'b/shop.ts'].map((name) => readFileSync(home.at(name), 'utf8'));
}

test('renameSymbol() shows what would change in two roots and changes nothing', async () => {
  const result = await rename();
  expect(result).toMatchObject({
    applied: false,
    edits: 3,
    complete: true,
    files: [
      { file: home.at('a/library.ts'), lines: [{ line: 1, after: 'export function cost(): number {' }] },
      { file: home.at('b/shop.ts'), lines: [{ line: 1 }, { line: 3, before: 'price();', after: 'cost();' }] },
    ],
  });
  expect(texts()).toEqual([LIBRARY, SHOP]);
});

test('renameSymbol() applied changes both roots, and keeps line ends and byte order marks', async () => {
  expect(await rename({ apply: true })).toMatchObject({ applied: true });
  expect(texts()).toEqual([LIBRARY.replace('price', 'cost'), SHOP.replaceAll('price', 'cost')]);
  expect(await journal.abandoned()).toEqual([]);
});

test.each([
  ['pyright', 'py', 'def price(): return 1\n', 'from one import price; price()\n'],
  ['bash-language-server', 'sh', 'price() { :; }\n', 'source ./one.sh; price\n'],
])(
  'renameSymbol() finds the right columns behind a byte order mark that %s has read itself',
  async (server, ending, one, two) => {
    home.write({ [`a/one.${ending}`]: `\uFEFF${one}`, [`a/two.${ending}`]: `\uFEFF${two}` });
    home.serve({ servers: known(server), environment });
    const file = home.at(`a/one.${ending}`);
    expect(await rename({ file, apply: true })).toMatchObject({ applied: true });
    expect(readFileSync(file, 'utf8')).toBe(`\uFEFF${one.replaceAll('price', 'cost')}`);
    const other = readFileSync(home.at(`a/two.${ending}`), 'utf8');
    expect(other).toBe(`\uFEFF${two.replaceAll('price', 'cost')}`);
  },
);

test('renameSymbol() changes nothing where the server counts lines differently', async () => {
  const text = '# a\rb\nprice() { :; }\nprice\n';
  const file = home.at('a/x.sh');
  home.write({ 'a/x.sh': text });
  home.serve({ servers: known('bash-language-server'), environment });
  await expect(rename({ file, apply: true })).rejects.toMatchObject({
    code: 'edit-refused',
    message: expect.stringContaining('carriage returns'),
  });
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test('renameSymbol() renames where all lines end with a carriage return', async () => {
  const shop = SHOP.replaceAll('\n', '\r');
  home.write({ 'b/shop.ts': shop });
  expect(await rename({ apply: true })).toMatchObject({ applied: true, edits: 3 });
  expect(texts()[1]).toBe(shop.replaceAll('price', 'cost'));
});

test('renameSymbol() makes all edits of a file that the server names in two ways, each once', async () => {
  home.write({ 'a/x.toy': 'price\nprice\n' });
  symlinkSync(home.at('a'), home.at('a/link'));
  const changes = {
    [pathToFileUri(home.at('a/x.toy'))]: [edit(0)],
    [pathToFileUri(home.at('a/link/x.toy'))]: [edit(0), edit(1)],
  };
  const script = { capabilities: { renameProvider: true }, answers: { 'textDocument/rename': { changes } } };
  const toy = { ...scripted(script, { folders: 'file-driven' }), answersInOrder: true };
  home.serve({ servers: [toy] });
  const result = await rename({ file: home.at('a/x.toy'), apply: true });
  expect(result).toMatchObject({ applied: true, edits: 2, files: [{ file: home.at('a/x.toy') }] });
  expect(readFileSync(home.at('a/x.toy'), 'utf8')).toBe('cost\ncost\n');
});

test('renameSymbol() changes nothing when one root is read-only', async () => {
  const roots = home.workspace
    .scope()
    .roots.map((root) => (root.name === 'b' ? { ...root, access: 'read-only' as const } : root));
  await expect(rename({ apply: true }, new Scope({ roots }))).rejects.toMatchObject({ code: 'edit-refused' });
  expect(texts()).toEqual([LIBRARY, SHOP]);
});

test('renameSymbol() changes nothing when one edit falls outside the roots', async () => {
  home.write({
    'a/box.ts': 'export class Box {\n  unlock(): void {}\n}\n',
    'b/shop.ts': "import { Box } from '../a/box';\n\nnew Box().unlock();\n",
  });
  await home.giveRoots('b');
  const before = texts();
  const asked = rename({ apply: true, symbol: 'unlock', file: home.at('b/shop.ts') });
  await expect(asked).rejects.toMatchObject({
    code: 'edit-refused',
    message: expect.stringContaining('outside'),
  });
  expect(texts()).toEqual(before);
});

test('renameSymbol() changes nothing when the new name is none', async () => {
  const asked = rename({ apply: true, newName: 'two words' });
  await expect(asked).rejects.toMatchObject({ code: 'invalid-option' });
  expect(texts()).toEqual([LIBRARY, SHOP]);
});

test('renameSymbol() refuses a server’s wish to move files', async () => {
  home.write({ 'a/x.toy': 'price' });
  const uri = pathToFileUri(home.at('a/x.toy'));
  const answers = {
    'textDocument/rename': { documentChanges: [{ kind: 'rename', oldUri: uri, newUri: `${uri}2` }] },
  };
  const toy = scripted({ capabilities: { renameProvider: true }, answers }, { folders: 'file-driven' });
  home.serve({ servers: [toy], limits: { settleTimeout: 0 } });
  const asked = rename({ file: home.at('a/x.toy'), apply: true });
  await expect(asked).rejects.toMatchObject({ code: 'edit-refused' });
});

test('renameSymbol() does not ask to try again where there are too many files to ever show', async () => {
  for (let index = 0; index < 61; index += 1) home.write({ [`a/${index}.toy`]: 'price' });
  const file = home.at('a/0.toy');
  const place = { line: 0, character: 0 };
  const edits = [{ range: { start: place, end: { ...place, character: 5 } }, newText: 'cost' }];
  const answers = { 'textDocument/rename': { changes: { [pathToFileUri(file)]: edits } } };
  const toy = scripted({ capabilities: { renameProvider: true }, answers }, { folders: 'file-driven' });
  home.serve({ servers: [toy], limits: { settleTimeout: 0 } });
  expect(await rename({ file })).toMatchObject({ edits: 1, complete: false });
  await expect(rename({ file, apply: true })).rejects.toMatchObject({
    code: 'edit-refused',
    instruction: expect.stringContaining('search_content'),
  });
  expect(readFileSync(file, 'utf8')).toBe('price');
});

test('renameSymbol() changes nothing when a file is saved while the server thinks', async () => {
  home.write({ 'a/x.toy': 'price' });
  const file = home.at('a/x.toy');
  const place = { line: 0, character: 0 };
  const edits = [{ range: { start: place, end: { ...place, character: 5 } }, newText: 'cost' }];
  const answers = { 'textDocument/rename': { changes: { [pathToFileUri(file)]: edits } } };
  const meanwhile = { 'textDocument/rename': { [file]: 'a new line\nprice' } };
  const script = { capabilities: { renameProvider: true }, answers, meanwhile };
  const toy = { ...scripted(script, { folders: 'file-driven' }), answersInOrder: true };
  home.serve({ servers: [toy] });
  await expect(rename({ file, apply: true })).rejects.toMatchObject({
    code: 'changed-meanwhile',
    message: expect.stringContaining('changed meanwhile'),
  });
  expect(readFileSync(file, 'utf8')).toBe('a new line\nprice');
});

test('renameSymbol() does not rename the member of something else that has the same name', async () => {
  const text = '// Cart.total is elsewhere\nexport class Order {\n  total() {\n    return 1;\n  }\n}\n';
  home.write({ 'a/order.ts': text, 'a/use.ts': "import { Order } from './order';\nnew Order().total();\n" });
  const file = home.at('a/order.ts');
  await expect(rename({ symbol: 'Cart.total', file, apply: true })).rejects.toMatchObject({
    code: 'symbol-not-found',
    instruction: expect.stringContaining('"Order.total"'),
  });
  expect(readFileSync(file, 'utf8')).toBe(text);
  const asked = { symbol: 'Order.total', apply: true };
  expect(await rename({ ...asked, file })).toMatchObject({ applied: true, edits: 2 });
  expect(await rename({ symbol: 'order.cost', newName: 'sum', file: home.at('a/use.ts') })).toMatchObject({
    edits: 2,
  });
});

test('renameSymbol() changes a file whose time lies in the future, too', async () => {
  const tomorrow = new Date(Date.now() + 24 * 60 * 60 * 1000);
  utimesSync(home.at('b/shop.ts'), tomorrow, tomorrow);
  expect(await rename({ apply: true })).toMatchObject({ applied: true });
  expect(texts()).toEqual([LIBRARY.replace('price', 'cost'), SHOP.replaceAll('price', 'cost')]);
});

/** A scope of which only these writes succeed, counted from 1. */
function failingScope(succeeds: (write: number) => boolean): Scope {
  let writes = 0;
  return new Proxy(home.workspace.scope(), {
    get(target, name) {
      if (name !== 'write') {
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      }
      return async (...args: Parameters<Scope['write']>) => {
        writes += 1;
        if (!succeeds(writes)) throw new Error('disk full');
        return target.write(...args);
      };
    },
  });
}

test('a rename that fails half way is undone', async () => {
  const failing = failingScope((write) => write !== 2);
  await expect(rename({ apply: true }, failing)).rejects.toMatchObject({
    code: 'edit-failed',
    message: expect.stringContaining('all are as before'),
  });
  expect(texts()).toEqual([LIBRARY, SHOP]);
  expect(await journal.abandoned()).toEqual([]);
});

test('a rename that can neither be finished nor undone names the files, and stays in the journal', async () => {
  const failing = failingScope((write) => write === 1);
  await expect(rename({ apply: true }, failing)).rejects.toMatchObject({
    code: 'edit-failed',
    message: expect.stringContaining(home.at('a/library.ts')),
    instruction: expect.stringContaining('puts them back'),
  });
  expect(texts()).toEqual([LIBRARY.replace('price', 'cost'), SHOP]);
  expect(readdirSync(home.at('journal'))).toHaveLength(1);
});

test('a rename whose process is killed half way is undone by the next one, which says so', async () => {
  const program = fileURLToPath(new URL('../fixtures/killed-rename.mjs', import.meta.url));
  const child = fork(program, [home.path], { env: environment });
  await new Promise((resolve) => {
    child.once('exit', resolve);
  });
  expect(child.signalCode).toBe('SIGKILL');
  expect(texts()).toEqual([LIBRARY.replace('price', 'cost'), SHOP]);
  const result = await rename();
  expect(result.recovered).toEqual([{ restored: [home.at('a/library.ts')], left: [] }]);
  expect(texts()).toEqual([LIBRARY, SHOP]);
  expect(result.edits).toBe(3);
});

test('recovery leaves alone what someone changed since, and what is not in scope', async () => {
  const entry = { process: { pid: 2 ** 22 + 1, start: '' } };
  const files = [{ path: home.at('a/library.ts'), before: 'old', after: 'unlike' }];
  home.write({ 'journal/x.edit.json': JSON.stringify({ ...entry, files }) });
  await home.giveRoots('b');
  expect(await recoverEdits(home.workspace.scope(), journal)).toEqual([]);
  await home.giveRoots('a');
  const left = [home.at('a/library.ts')];
  expect(await recoverEdits(home.workspace.scope(), journal)).toEqual([{ restored: [], left }]);
  expect(await recoverEdits(home.workspace.scope(), journal)).toEqual([]);
});
