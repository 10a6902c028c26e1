import { readdirSync, rmSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { definition, references } from '@rootward/lsp';
import { CodeWorkspace } from '../fixtures/code-workspace.js';
import { environment, hasClangd, known } from '../fixtures/real-servers.js';

const LIMITS = { settleTimeout: 50_000, requestTimeout: 50_000 };
const FILES = {
  'a/api.h': 'int priced(int n);\n',
  'a/api.c': '#include "api.h"\nint priced(int n) { return n; }\n',
  'a/use.c': '#include "api.h"\nint use(void) { return priced(1); }\n',
};

let home: CodeWorkspace;

afterEach(() => home.dispose());

async function open(files: Readonly<Record<string, string>>): Promise<void> {
  home = await CodeWorkspace.open(files, 'a');
  home.serve({ servers: known('clangd'), environment, limits: LIMITS, cache: home.at('cache') });
}

function uses(symbol: string, file: string): ReturnType<typeof references> {
  return references(home.context(), { symbol, file: home.at('a', file) });
}

test.skipIf(!hasClangd)('clangd (where installed) keeps its index in a private folder', async () => {
  await open(FILES);
  home.writeDatabase('a', ['api.c', 'use.c']);
  expect(await uses('priced', 'api.h')).toMatchObject({ total: 3, complete: true });
  const [folder] = readdirSync(home.at('cache'));
  const index = readdirSync(home.at('cache', folder!, '.cache/clangd/index'));
  expect(index).toContainEqual(expect.stringMatching(/^api\.c\..*\.idx$/));
  expect(readdirSync(home.at('a')).toSorted()).toEqual(['api.c', 'api.h', 'compile_commands.json', 'use.c']);
  const { definitions } = await definition(home.context(), { symbol: 'priced', file: home.at('a/use.c') });
  expect(definitions).toMatchObject([{ file: home.at('a/api.c'), line: 2 }]);
});

test.skipIf(!hasClangd)('clangd (where installed) says which files it compiles by a guess', async () => {
  await open(FILES);
  const guessed = await uses('priced', 'api.h');
  expect(guessed).toMatchObject({ total: 3, complete: false });
  expect(guessed.notes).toEqual([expect.stringContaining('no compile_commands.json lists them')]);
  home.writeDatabase('a', ['api.c']);
  const { complete, notes } = await uses('priced', 'api.h');
  expect(complete).toBe(false);
  expect(notes.join('\n')).toContain(home.at('a/use.c'));
  expect(notes.join('\n')).not.toContain(home.at('a/api.c'));
  home.write({ 'a/compile_flags.txt': '-Wall\n' });
  rmSync(home.at('a/compile_commands.json'));
  expect(await uses('priced', 'api.h')).toMatchObject({ total: 3, complete: true });
});

test.skipIf(!hasClangd)('clangd (where installed) knows files that came, changed and went', async () => {
  await open(FILES);
  home.writeDatabase('a', ['api.c', 'use.c', 'more.c']);
  expect(await uses('priced', 'api.h')).toMatchObject({ total: 3 });
  home.write({
    'a/use.c': '#include "api.h"\n\nint use(void) { return priced(1) + priced(2); }\n',
    'a/more.c': '#include "api.h"\nint more(void) { return priced(3); }\n',
  });
  expect(await uses('priced', 'api.h')).toMatchObject({ total: 5, complete: true });
  rmSync(home.at('a/use.c'));
  expect(await uses('priced', 'api.h')).toMatchObject({ total: 3, complete: true });
});

test.skipIf(!hasClangd)(
  'clangd (where installed) writes nothing into the workspace without a cache',
  async () => {
    home = await CodeWorkspace.open(FILES, 'a');
    home.serve({ servers: known('clangd'), environment, limits: LIMITS });
    expect(await uses('priced', 'api.h')).toMatchObject({ total: 3 });
    await home.servers.dispose();
    expect(readdirSync(home.at('a')).toSorted()).toEqual(['api.c', 'api.h', 'use.c']);
  },
);
