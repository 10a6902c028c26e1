import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { definition, diagnostics, findSymbol, outline, references } from '@rootward/lsp';
import { CodeWorkspace } from '../fixtures/code-workspace.js';
import { environment, hasClangd, known } from '../fixtures/real-servers.js';
import { isInstalled } from '../fixtures/repositories.js';

let home: CodeWorkspace;

async function open(
  server: string,
  files: Readonly<Record<string, string>>,
  ...roots: readonly string[]
): Promise<void> {
  home = await CodeWorkspace.open(files, ...roots);
  home.serve({
    servers: known(server),
    environment,
    limits: { settleTimeout: 50_000, requestTimeout: 50_000 },
  });
}

afterEach(() => home.dispose());

function script(name: string): string {
  return `${name}() {\n  echo hi\n}\n`;
}

test('bash-language-server serves a second root with a process of its own', async () => {
  const files = {
    'a %41 ü/lib.sh': script('greet_a'),
    'c/lib.sh': script('greet_c'),
    'c/main.sh': '. ./lib.sh\ngreet_c\n',
  };
  await open('bash-language-server', files, 'a %41 ü', 'c');
  const found = await references(home.context(), { symbol: 'greet_c', file: home.at('c/lib.sh') });
  expect(found).toMatchObject({ total: 2, complete: true });
  const symbols = await findSymbol(home.context(), { query: 'greet' });
  expect(symbols.files.map(({ file }) => file)).toEqual([home.at('a %41 ü/lib.sh'), home.at('c/lib.sh')]);
  expect(home.servers.status().map(({ kind, folders }) => ({ kind, folders }))).toEqual(
    expect.arrayContaining([
      { kind: 'per-root', folders: [home.at('a %41 ü')] },
      { kind: 'per-root', folders: [home.at('c')] },
    ]),
  );
});

test('yaml-language-server finds an anchor and reports a broken document', async () => {
  const files = { 'a/good.yaml': 'base: &base\n  k: 1\nother: *base\n', 'a/bad.yaml': 'list: [1\n' };
  await open('yaml-language-server', files, 'a');
  const { symbols } = await outline(home.context(), { file: home.at('a/good.yaml') });
  expect(symbols.map(({ name }) => name)).toEqual(['base', 'other']);
  const report = await diagnostics(home.context(), { root: 'a' });
  expect(report).toMatchObject({ checked: 2, complete: true, files: [{ file: home.at('a/bad.yaml') }] });
  await expect(
    references(home.context(), { symbol: 'base', file: home.at('a/good.yaml') }),
  ).rejects.toMatchObject({
    code: 'unsupported',
  });
});

test('yaml-language-server loads a schema of the workspace, and none from outside or from the network', async () => {
  const asked: string[] = [];
  const web = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end('{"properties":{"a":{"type":"number"}}}');
  });
  await once(web.listen(0, '127.0.0.1'), 'listening');
  const { port } = web.address() as AddressInfo;
  const schema = '{"properties":{"a":{"type":"number","title":"told-by-schema"}}}';
  const files = {
    'out/schema.json': schema,
    'a/schema.json': schema,
    'a/inside.yaml': '# yaml-language-server: $schema=schema.json\na: x\n',
    'a/outside.yaml': '# yaml-language-server: $schema=../out/schema.json\na: x\n',
    'a/alias.yaml': 'x: &x ../out/schema.json\n$schema: *x\na: x\n',
    'a/web.yaml': `# yaml-language-server: $schema=http://127.0.0.1:${port}/schema.json\na: x\n`,
  };
  await open('yaml-language-server', files, 'a');
  const { files: found } = await diagnostics(home.context(), { root: 'a' });
  const messages = (name: string): readonly string[] =>
    found.find(({ file }) => file === home.at(`a/${name}`))?.diagnostics.map(({ message }) => message) ?? [];
  expect(messages('inside.yaml')).toEqual([expect.stringContaining('Incorrect type. Expected "number"')]);
  for (const name of ['outside.yaml', 'web.yaml', 'alias.yaml']) {
    expect(messages(name).join('\n')).not.toContain('Incorrect type');
  }
  expect(messages('web.yaml').join('\n')).toContain('only files in the roots are read');
  expect(asked).toEqual([]);
  web.close();
});

test.skipIf(!hasClangd)(
  'clangd (where installed) takes a definition for itself, not one of its name',
  async () => {
    const files = {
      'a/one.c': 'int main(void) { return 1; }\n',
      'a/two.c': 'int main(void) { return 2; }\n',
    };
    await open('clangd', files, 'a');
    home.writeDatabase('a', ['one.c', 'two.c']);
    for (const name of ['one.c', 'two.c', 'one.c']) {
      // Now it knows of both.
      expect(await findSymbol(home.context(), { query: 'main' })).toMatchObject({ complete: true });
      const { definitions } = await definition(home.context(), { symbol: 'main', file: home.at('a', name) });
      expect(definitions).toMatchObject([{ file: home.at('a', name) }]);
    }
  },
);

test.skipIf(!hasClangd)('clangd (where installed) gives more than its own limits allow', async () => {
  const uses = Array.from({ length: 1_500 }, (_, index) => `int use_${index} = base();\n`).join('');
  const files = { 'a/base.cpp': 'int base() { return 1; }\n', 'a/uses.cpp': `int base();\n${uses}` };
  await open('clangd', files, 'a');
  home.writeDatabase('a', ['base.cpp', 'uses.cpp']);
  expect(await findSymbol(home.context(), { query: 'use_' })).toMatchObject({ total: 1_500, complete: true });
  const found = await references(home.context(), { symbol: 'base', file: home.at('a/base.cpp') });
  expect(found).toMatchObject({ total: 1_502, complete: true });
});

test.skipIf(!hasClangd)(
  'clangd (where installed) finds uses in other files, and nothing of a removed root',
  async () => {
    const files = {
      'a %41 ü/twice.h': '#pragma once\nint twice(int x);\n',
      'a %41 ü/twice.cpp': '#include "twice.h"\nint twice(int x) { return 2 * x; }\n',
      'a %41 ü/calls.cpp': '#include "../b/four.h"\nint eight() { return 2 * four(); }\n',
      'b/four.h': '#pragma once\nint four();\n',
      'b/use.cpp': '#include "../a %41 ü/twice.h"\n#include "four.h"\nint four() { return twice(2); }\n',
    };
    await open('clangd', files, 'a %41 ü', 'b');
    home.writeDatabase('a %41 ü', ['twice.cpp', 'calls.cpp']);
    home.writeDatabase('b', ['use.cpp']);
    const found = await references(home.context(), { symbol: 'twice', file: home.at('a %41 ü/twice.cpp') });
    expect(found.files.map(({ file }) => file)).toContain(home.at('b/use.cpp'));
    expect(found.complete).toBe(true);
    await home.giveRoots('b');
    const use = home.at('b/use.cpp');
    const answers = [
      await findSymbol(home.context(), { query: 'twice' }),
      await definition(home.context(), { symbol: 'twice', file: use }),
      await references(home.context(), { symbol: 'twice', file: use }),
      await outline(home.context(), { file: use }),
      await diagnostics(home.context(), {}),
    ];
    expect(JSON.stringify(answers)).not.toContain('twice.h');
    expect(JSON.stringify(answers)).not.toContain('twice.cpp');
    const gone = { symbol: 'twice', file: home.at('a %41 ü/twice.cpp') };
    const refused = { code: 'outside-roots' };
    await expect(outline(home.context(), gone)).rejects.toMatchObject(refused);
    await expect(definition(home.context(), gone)).rejects.toMatchObject(refused);
    await expect(references(home.context(), gone)).rejects.toMatchObject(refused);
    await expect(diagnostics(home.context(), gone)).rejects.toMatchObject(refused);
    await expect(home.rename('twice', gone.file)).rejects.toMatchObject(refused);
    await expect(home.rename('twice', use)).rejects.toMatchObject({
      code: 'edit-refused',
      message: expect.stringContaining('outside the roots'),
    });
    const before = readFileSync(home.at('a %41 ü/calls.cpp'), 'utf8');
    const renamed = await home.rename('four', use);
    expect(renamed.files.map(({ file }) => file)).toEqual([home.at('b/four.h'), use]);
    expect(readFileSync(home.at('a %41 ü/calls.cpp'), 'utf8')).toBe(before);
  },
);

test.skipIf(!hasClangd)('clangd (where installed) sees a header that was changed on disk', async () => {
  const files = {
    'a/add.h': 'int add(int a);\n',
    'a/use.c': '#include "add.h"\nint one(void) { return add(1); }\n',
  };
  home = await CodeWorkspace.open(files, 'a');
  let changes = 0;
  const limits = { settleTimeout: 50_000, requestTimeout: 50_000 };
  // Each question is one after a change, since a slow machine would rest otherwise.
  home.serve({ servers: known('clangd'), environment, limits, changesMade: () => (changes += 1) });
  const request = { file: home.at('a/use.c') };
  expect(await diagnostics(home.context(), request)).toMatchObject({ files: [] });
  home.write({ 'a/add.h': 'int add(int a, int b);\n' });
  const report = await diagnostics(home.context(), request);
  expect(report.files).toMatchObject([{ diagnostics: [{ line: 2, severity: 'error' }] }]);
});

test.skipIf(!isInstalled('gopls', 'go'))(
  'gopls (where installed) has told of all problems of a file at the first question, those of its analyzers too',
  async () => {
    const files = {
      'a/go.mod': 'module example.com/a\n\ngo 1.18\n',
      'a/a.go': 'package a\n\nimport "fmt"\n\nfunc F() { fmt.Printf("%d\\n", "x") }\n',
    };
    await open('gopls', files, 'a');
    const report = await diagnostics(home.context(), { file: home.at('a/a.go') });
    expect(report).toMatchObject({
      files: [{ diagnostics: [{ line: 5, message: expect.stringContaining('wrong type') }] }],
      complete: true,
    });
  },
);
