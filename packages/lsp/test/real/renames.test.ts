import { spawnSync } from 'node:child_process';
import { afterEach, expect, test } from 'vitest';
import { readFileSync } from 'node:fs';
import { references, type RenameResult } from '@rootward/lsp';
import { CodeWorkspace } from '../fixtures/code-workspace.js';
import { environment, hasClangd, known } from '../fixtures/real-servers.js';
import {
  cWithHeader,
  goModule,
  isInstalled,
  pythonSrcLayout,
  typescriptProjects,
} from '../fixtures/repositories.js';

const LIMITS = { settleTimeout: 50_000, requestTimeout: 50_000 };

let home: CodeWorkspace;

afterEach(() => home.dispose());

async function open(server: string, files: Readonly<Record<string, string>>): Promise<void> {
  const inRoot = Object.fromEntries(Object.entries(files).map(([name, text]) => [`repo/${name}`, text]));
  home = await CodeWorkspace.open(inRoot, 'repo');
  home.serve({ servers: known(server), environment, limits: LIMITS });
}

/** What the project's own checker says, without places: a rename moves them. */
function check(program: string, ...args: readonly string[]): readonly string[] {
  const { stdout, stderr, error } = spawnSync(program, args, {
    cwd: home.at('repo'),
    env: environment,
    encoding: 'utf8',
  });
  if (error !== undefined) throw error;
  return `${stdout}\n${stderr}`
    .split('\n')
    .filter((line) => /\berror\b|vet:|undefined:|warning:/.test(line) && !/^\d+ errors?/.test(line.trim()));
}

async function renameAndCheck(
  rename: { readonly symbol: string; readonly file: string; readonly newName: string },
  ...checker: readonly [string, ...string[]]
): Promise<RenameResult> {
  const before = check(...checker);
  const result = await home.rename(rename.symbol, home.at('repo', rename.file), rename.newName);
  expect(check(...checker)).toEqual(before);
  expect(result).toMatchObject({ applied: true, complete: true });
  return result;
}

test('pyright renames a class in tests and examples that its configuration leaves out', async () => {
  await open('pyright', pythonSrcLayout);
  const files = ['src', 'tests', 'examples'];
  const rename = { symbol: 'Blueprint', file: 'src/shop/plans.py', newName: 'Bauplan' };
  const { edits } = await renameAndCheck(rename, 'pyright', ...files);
  expect(edits).toBe(8);
  expect(readFileSync(home.at('repo/tests/test_plans.py'), 'utf8')).toContain('# A Blueprint has a rule.');
  const member = await home.rename('Bauplan.größe', home.at('repo/src/shop/plans.py'), '大きさ');
  expect(member).toMatchObject({ applied: true, complete: true, edits: 3 });
  const text = readFileSync(home.at('repo/src/shop/plans.py'), 'utf8');
  expect(text).toContain('\uFEFFfrom .base import Base\r\n');
  expect(text).toContain('大きさ = "🙂"; maß = 大きさ\r\n');
});

test.each(['typescript', 'typescript-language-server'])(
  '%s renames what is a type and a value in every project, and nothing of the same name',
  async (server) => {
    await open(server, typescriptProjects);
    const rename = { symbol: 'Range', file: 'a/range.ts', newName: 'Bereich' };
    await renameAndCheck(rename, 'tsc', '-p', 'a');
    expect(check('tsc', '-p', 'b')).toEqual([]);
    expect(readFileSync(home.at('repo/a/range.ts'), 'utf8')).toMatch(
      /^\uFEFFexport interface Bereich \{ start: number \}\r\nexport namespace Bereich \{\r\n/,
    );
    expect(readFileSync(home.at('repo/b/own.ts'), 'utf8')).toBe(typescriptProjects['b/own.ts']);
    await renameAndCheck({ symbol: 'größe', file: 'a/use.ts', newName: 'weite' }, 'tsc', '-p', 'a');
    const uses = await references(home.context(), { symbol: 'Bereich', file: home.at('repo/b/other.ts') });
    expect(new Set(uses.files.map(({ file }) => file))).toEqual(
      new Set(['a/range.ts', 'a/use.ts', 'b/other.ts'].map((file) => home.at('repo', file))),
    );
    expect(uses.complete).toBe(true);
  },
);

test.skipIf(!hasClangd || !isInstalled('cc'))(
  'clangd (where installed) renames a function of C with its prototype in a header',
  async () => {
    await open('clangd', cWithHeader);
    home.writeDatabase('repo', ['main.c', 'title.c']);
    const checker = ['cc', '-fsyntax-only', '-Wall', 'main.c', 'title.c'] as const;
    const rename = { symbol: 'set_title', file: 'title.c', newName: 'put_title' };
    expect(await renameAndCheck(rename, ...checker)).toMatchObject({
      edits: 3,
      notes: [`left as they are: "${home.at('repo/words.l')}", which mention "set_title"`],
    });
    expect(readFileSync(home.at('repo/title.h'), 'utf8')).toContain('void put_title(');
    const names = { symbol: 'größe', file: 'title.c', newName: '大きさ' };
    expect(await renameAndCheck(names, ...checker)).toMatchObject({ edits: 2 });
    expect(readFileSync(home.at('repo/title.c'), 'utf8')).toBe(
      cWithHeader['title.c']!.replaceAll('set_title', 'put_title').replaceAll('größe', '大きさ'),
    );
  },
);

test.skipIf(!isInstalled('gopls', 'go'))(
  'gopls (where installed) renames a method by its receiver, in every package',
  async () => {
    await open('gopls', goModule);
    const rename = { symbol: 'Router.HandleFunc', file: 'router.go', newName: 'Behandle' };
    expect(await renameAndCheck(rename, 'go', 'vet', './...')).toMatchObject({ edits: 3 });
    expect(readFileSync(home.at('repo/cmd/main.go'), 'utf8')).toBe(
      goModule['cmd/main.go']!.replace('router.HandleFunc', 'router.Behandle'),
    );
    const fields = { symbol: 'größe', file: 'router.go', newName: 'weite' };
    expect(await renameAndCheck(fields, 'go', 'vet', './...')).toMatchObject({ edits: 1 });
  },
);
