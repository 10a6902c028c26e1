import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { definition, diagnostics, editSymbol, findSymbol, outline, references } from '@rootward/lsp';
import { CodeWorkspace } from '../fixtures/code-workspace.js';
import { environment, known } from '../fixtures/real-servers.js';

let home: CodeWorkspace;

async function open(server: string, files: Readonly<Record<string, string>>): Promise<void> {
  home = await CodeWorkspace.open(files, 'a');
  home.serve({
    servers: known(server),
    environment,
    limits: { settleTimeout: 50_000, requestTimeout: 50_000 },
  });
}

afterEach(() => home.dispose());

async function messages(name: string): Promise<readonly string[]> {
  const { files, complete } = await diagnostics(home.context(), { file: home.at('a', name) });
  expect(complete).toBe(true);
  return files.flatMap(({ diagnostics: found }) => found.map(({ message }) => message));
}

function withSchema(place: string): string {
  return `{ "$schema": "${place}", "n": "text" }\n`;
}

test('the JSON server outlines, finds, edits and checks, with schemas of the workspace and of nowhere else', async () => {
  const asked: string[] = [];
  const web = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end('{"properties":{"n":{"type":"number"}}}');
  });
  await once(web.listen(0, '127.0.0.1'), 'listening');
  const { port } = web.address() as AddressInfo;
  const schema = '{"properties":{"n":{"type":"number"}}}';
  await open('json', {
    'out/schema.json': schema,
    'a/schema.json': schema,
    'a/package.json': '{\n  "name": "🙂",\n  "scripts": { "build": "x" }\n}\n',
    'a/broken.json': '{ "a": [1, }\n',
    'a/inside.json': withSchema('./schema.json'),
    'a/outside.json': withSchema('../out/schema.json'),
    'a/web.json': withSchema(`http://127.0.0.1:${port}/schema.json`),
  });
  const file = home.at('a/package.json');
  const { symbols } = await outline(home.context(), { file });
  expect(symbols.map(({ name }) => name)).toEqual(['name', 'scripts']);
  expect(await findSymbol(home.context(), { query: 'build' })).toMatchObject({
    complete: true,
    files: [{ file, symbols: [{ name: 'build', container: 'scripts' }] }],
  });
  await editSymbol(home.context(), { file, symbol: 'name', action: 'replace', text: '"name": "shop"' });
  await editSymbol(home.context(), { file, symbol: 'scripts', action: 'insert_after', text: '"x": 1' });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ name: 'shop', scripts: { build: 'x' }, x: 1 });
  expect(await messages('broken.json')).toEqual(['Value expected']);
  expect(await messages('inside.json')).toEqual([expect.stringContaining('Expected "number"')]);
  for (const name of ['outside.json', 'web.json']) {
    expect((await messages(name)).join('\n')).not.toContain('Expected "number"');
  }
  expect(asked).toEqual([]);
  web.close();
});

test('the HTML server outlines, finds, renames both tags and checks what is embedded', async () => {
  const page =
    '<!doctype html>\r\n<div id="main">\r\n  <p>🙂</p>\r\n</div>\r\n<style>.x { color }</style>\r\n';
  await open('html', { 'a/page.html': page });
  const file = home.at('a/page.html');
  const { symbols } = await outline(home.context(), { file });
  expect(symbols.map(({ name }) => name)).toEqual(expect.arrayContaining(['div#main', 'p', 'style']));
  expect(await findSymbol(home.context(), { query: '#main' })).toMatchObject({ total: 1, complete: true });
  expect(await messages('page.html')).toContain('colon expected');
  expect(await home.rename('div', file, 'section')).toMatchObject({
    applied: true,
    complete: true,
    edits: 2,
  });
  expect(readFileSync(file, 'utf8')).toBe(page.replaceAll('div', 'section'));
});

test('the CSS server finds, renames and edits custom properties and rules, and checks', async () => {
  const sheet = '\uFEFF/* 🙂 */ :root { --größe: 1px; }\r\n.big { width: var(--größe); }\r\n';
  await open('css', {
    'a/style.css': sheet,
    'a/broken.css': '.x { color }\n',
    'a/mix.scss': '$w: 1px;\n.a { width: $w; }\n',
  });
  const file = home.at('a/style.css');
  const found = await references(home.context(), { symbol: '--größe', file });
  expect(found).toMatchObject({ total: 2, complete: true });
  const { definitions, hover = '' } = await definition(home.context(), { symbol: '--größe', file, line: 2 });
  expect(definitions).toMatchObject([{ line: 1 }]);
  expect(hover).not.toContain('data:');
  expect(await home.rename('--größe', file, '--weite')).toMatchObject({
    applied: true,
    complete: true,
    edits: 2,
  });
  expect(readFileSync(file, 'utf8')).toBe(sheet.replaceAll('größe', 'weite'));
  expect(await messages('style.css')).toEqual([]);
  expect(await messages('broken.css')).toContain('colon expected');
  expect(await home.rename('$w', home.at('a/mix.scss'), '$width')).toMatchObject({
    complete: true,
    edits: 2,
  });
  await editSymbol(home.context(), { file, symbol: '.big', action: 'replace', text: '.big { width: 2px; }' });
  expect(readFileSync(file, 'utf8')).toContain('\r\n.big { width: 2px; }\r\n');
});
