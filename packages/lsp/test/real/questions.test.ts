import { chmodSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  definition,
  editSymbol,
  findSymbol,
  newProblems,
  outline,
  references,
  symbolRelations,
} from '@rootward/lsp';
import type { RelationKind } from '@rootward/lsp';
import { readFileSync, writeFileSync } from 'node:fs';
import { CodeWorkspace } from '../fixtures/code-workspace.js';
import { environment, known } from '../fixtures/real-servers.js';
import { goModule, isInstalled, pythonSrcLayout, typescriptProjects } from '../fixtures/repositories.js';

const LONG = Array.from({ length: 100 }, (_, index) => `    x_${index} = ${index}`).join('\n');
const SHAPES = `export interface Shape { area(): number }
export class Square implements Shape {
  area(): number { return 4; }
}
export function sum(shapes: Shape[]): number {
  let total = 0;
  for (const shape of shapes) total += shape.area();
  return total;
}
`;

let home: CodeWorkspace;

beforeAll(async () => {
  const files: Record<string, string> = {
    'py/long.py': `def long() -> None:\n${LONG}\n`,
    'py/.gitignore': 'generated/\n',
    'py/generated/plans.py': 'class Blueprint:\n    pass\n',
    'ts/a/shapes.ts': SHAPES,
    'sh/install': '#!/usr/bin/env bash\ngreet() {\n  echo hello\n}\ngreet\n',
  };
  for (const [name, text] of Object.entries(pythonSrcLayout)) files[`py/${name}`] = text;
  for (const [name, text] of Object.entries(typescriptProjects)) files[`ts/${name}`] = text;
  for (const [name, text] of Object.entries(goModule)) files[`go/${name}`] = text;
  home = await CodeWorkspace.open(files, 'py', 'ts', 'go', 'sh');
  chmodSync(home.at('sh/install'), 0o755);
  const servers = known('typescript', 'pyright', 'gopls', 'bash-language-server');
  home.serve({ servers, environment, limits: { settleTimeout: 50_000, requestTimeout: 50_000 } });
});

afterAll(() => home.dispose());

function asked(symbol: string, file: string): { readonly symbol: string; readonly file: string } {
  return { symbol, file: home.at(file) };
}

test('definition refuses a container that is not true, and finds a member that a type inherits', async () => {
  const code = home.context();
  await expect(definition(code, asked('Bogus.url_for', 'py/src/shop/app.py'))).rejects.toMatchObject({
    code: 'symbol-not-found',
    instruction: expect.stringContaining('"App.url_for"'),
  });
  const inherited = await definition(code, asked('Blueprint.route', 'py/src/shop/plans.py'));
  expect(inherited.definitions).toMatchObject([{ file: home.at('py/src/shop/base.py'), line: 2 }]);
});

test('definition marks a source that is cut, and gives all of it when asked', async () => {
  const request = asked('long', 'py/long.py');
  expect((await definition(home.context(), request)).definitions).toMatchObject([{ cut: 21, endLine: 101 }]);
  const whole = await definition(home.context(), { ...request, body: true });
  expect(whole.definitions).toMatchObject([{ cut: 0, source: expect.stringContaining('x_99 = 99') }]);
  expect(whole.hover).not.toContain('&nbsp;');
});

test('find_symbol finds a member by what it is in, keeps to a folder, and lists ignored files last', async () => {
  const code = home.context();
  const found = await findSymbol(code, { query: 'App.url_for' });
  expect(found).toMatchObject({ total: 1, files: [{ file: home.at('py/src/shop/app.py') }] });
  const everywhere = await findSymbol(code, { query: 'Blueprint' });
  expect(everywhere.files[0]!.file).not.toContain('generated');
  const total = await findSymbol(code, { query: 'total' });
  expect(total).toMatchObject({ total: 1, files: [{ file: home.at('ts/a/shapes.ts') }] });
  const local = await findSymbol(code, { query: 'sum' });
  expect(local.notes).not.toContainEqual(expect.stringContaining('locals'));
  const inFolder = await findSymbol(code, { query: 'url_for', root: 'src/shop/app.py' });
  expect(inFolder.files.map(({ file }) => file)).toEqual([home.at('py/src/shop/app.py')]);
});

test('references are told with the symbol they stand in', async () => {
  const { files } = await references(home.context(), asked('Blueprint.url_for', 'py/src/shop/plans.py'));
  expect(files.flatMap(({ references: uses }) => uses.map(({ within }) => within))).toEqual([
    'App.url_for',
    'Blueprint',
  ]);
});

test('an outline leaves out parameters and locals, unless a depth is given', async () => {
  const request = { file: home.at('ts/a/shapes.ts') };
  const names = JSON.stringify((await outline(home.context(), request)).symbols);
  expect(names).toContain('"sum"');
  expect(names).not.toContain('"total"');
  const deep = JSON.stringify((await outline(home.context(), { ...request, depth: 3 })).symbols);
  expect(deep).toContain('"total"');
});

test.each<[string, RelationKind, string, string, readonly string[]]>([
  ['typescript', 'implementations', 'Shape', 'ts/a/shapes.ts', ['Square']],
  ['typescript', 'callers', 'Shape.area', 'ts/a/shapes.ts', ['sum']],
  ['typescript', 'callees', 'sum', 'ts/a/shapes.ts', ['area']],
  ['pyright', 'supertypes', 'Blueprint', 'py/src/shop/plans.py', ['Base']],
  ['pyright', 'subtypes', 'Base', 'py/src/shop/base.py', ['Blueprint']],
  ['pyright', 'callers', 'Blueprint.url_for', 'py/src/shop/plans.py', ['url_for']],
])('symbol_relations of %s: %s of %s', async (_server, kind, symbol, file, names) => {
  const { related } = await symbolRelations(home.context(), { ...asked(symbol, file), kind });
  expect(related.map(({ name }) => name)).toEqual(names);
});

test('a script without an ending is known by its first line', async () => {
  const found = await findSymbol(home.context(), { query: 'greet' });
  expect(found).toMatchObject({ total: 1, files: [{ file: home.at('sh/install') }] });
  const { symbols } = await outline(home.context(), { file: home.at('sh/install') });
  expect(symbols.map(({ name }) => name)).toContain('greet');
});

test.skipIf(!isInstalled('gopls', 'go'))('Go methods are found by their receiver', async () => {
  for (const symbol of ['Router.HandleFunc', 'HandleFunc', '(*Router).HandleFunc']) {
    const { definitions } = await definition(home.context(), asked(symbol, 'go/router.go'));
    expect(definitions).toMatchObject([{ file: home.at('go/router.go'), line: 7 }]);
  }
});

test('edit_symbol deletes only what nothing uses, and says what an edit broke', async () => {
  const file = home.at('ts/a/shapes.ts');
  const code = home.context();
  const request = { file, action: 'delete', symbol: 'Shape' } as const;
  await expect(editSymbol(code, request)).rejects.toMatchObject({
    code: 'edit-refused',
    message: expect.stringContaining(`${file}:2`),
  });
  await editSymbol(code, { ...request, symbol: 'sum' });
  expect(readFileSync(file, 'utf8')).toBe(SHAPES.slice(0, SHAPES.indexOf('export function sum')));
  const { files } = await newProblems(code, [file], () =>
    editSymbol(code, {
      file,
      symbol: 'Square.area',
      action: 'replace',
      text: 'area(): number { return "4"; }',
    }),
  );
  expect(files).toMatchObject([{ file, diagnostics: [{ line: 3, severity: 'error' }] }]);
  writeFileSync(file, SHAPES);
});
