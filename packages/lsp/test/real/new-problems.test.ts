import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { newProblems } from '@rootward/lsp';
import { CodeWorkspace } from '../fixtures/code-workspace.js';
import { environment, known } from '../fixtures/real-servers.js';

const LIMITS = { settleTimeout: 50_000, requestTimeout: 50_000 };

let home: CodeWorkspace;

afterEach(() => home.dispose());

async function open(server: string, files: Readonly<Record<string, string>>): Promise<void> {
  home = await CodeWorkspace.open(files, 'a');
  home.serve({ servers: known(server), environment, limits: LIMITS });
}

/** The files with new problems after a change, and their lines. */
async function brokenBy(paths: readonly string[], change: () => void): Promise<readonly string[]> {
  const at = paths.map((path) => home.at('a', path));
  // The servers are warm, as after other questions; a cold one may not answer in time and says so.
  await newProblems(home.context(), at, () => Promise.resolve());
  const { files } = await newProblems(home.context(), at, () => Promise.resolve(change()));
  return files.map(({ file, diagnostics }) => {
    const lines = diagnostics.map(({ line }) => line).join(',');
    return `${file.slice(home.at('a').length + 1)}:${lines}`;
  });
}

test.each([
  [
    'typescript',
    {
      'a/tsconfig.json': '{ "compilerOptions": { "strict": true, "noEmit": true } }',
      'a/shop.ts': 'export function price(n: number): number {\n  return n;\n}\n',
      'a/use.ts': "import { price } from './shop';\n\nexport const one = price(1);\n",
      'a/other.ts': 'export const two = 2;\n',
    },
    'shop.ts',
    'export function price(n: string): string {\n  return n;\n}\n',
    ['use.ts:3'],
  ],
  [
    'pyright',
    {
      'a/shop.py': 'def price(n: int) -> int:\n    return n\n',
      'a/use.py': 'from shop import price\n\none = price(1)\n',
    },
    'shop.py',
    'def price(n: str) -> str:\n    return n\n',
    ['use.py:3'],
  ],
] as const)(
  'newProblems() names a caller in another file that an edit broke (%s)',
  async (server, files, path, text, broken) => {
    await open(server, files);
    expect(await brokenBy([path], () => writeFileSync(home.at('a', path), text))).toEqual(broken);
  },
);

test('newProblems() names imports that a moved folder broke, in JavaScript that nothing checks too', async () => {
  await open('typescript', {
    'a/package.json': '{ "type": "module" }',
    'a/lib/one.js': "import { two } from './two.js';\n\nexport const one = two;\n",
    'a/lib/two.js': 'export const two = 2;\n',
    'a/main.js': "import { one } from './lib/one.js';\n// import './lib/gone.js';\n\nconsole.log(one);\n",
    'a/test/main.js': "import { two } from '../lib/two.js';\n\nconsole.log(two);\n",
  });
  const moved = await brokenBy(['lib', 'source'], () => renameSync(home.at('a/lib'), home.at('a/source')));
  expect(moved.toSorted()).toEqual(['main.js:1', 'test/main.js:1']);
});

test('newProblems() names what a deleted file broke', async () => {
  await open('pyright', {
    'a/shop.py': 'def price() -> int:\n    return 1\n',
    'a/use.py': 'from shop import price\n\none = price()\n',
  });
  expect(await brokenBy(['shop.py'], () => rmSync(home.at('a/shop.py')))).toEqual(['use.py:1']);
});
