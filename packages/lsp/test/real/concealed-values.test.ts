import { afterAll, beforeAll, expect, test } from 'vitest';
import { Scope } from '@rootward/core';
import { definition, diagnostics, type CodeContext } from '@rootward/lsp';
import { CodeWorkspace } from '../fixtures/code-workspace.js';
import { environment, known } from '../fixtures/real-servers.js';

let home: CodeWorkspace;

beforeAll(async () => {
  const files = {
    'out/secret.ts': "export const outer = 'hunter-outside' as const;\n",
    'a/denied.ts': "export const inner = 'hunter-denied' as const;\n",
    'a/colours.ts': "export type Colour = 'crimson' | 'navy';\nexport const own: Colour = 'navy';\n",
    'a/use.ts': [
      "import { outer } from '../out/secret';",
      "import { inner } from './denied';",
      "import type { Colour } from './colours';",
      'export const fromOutside = outer;',
      'export const fromDenied = inner;',
      'export const wrong: number = outer;',
      'export const alsoWrong: Colour = inner;',
      '',
    ].join('\n'),
    'out/hidden.py': 'from typing import Final\nouter: Final = "hunter-outside"\n',
    'a/pyrightconfig.json': JSON.stringify({ extraPaths: ['../out'] }),
    'a/use.py': 'from hidden import outer\n\nwrong: int = outer\nkept: int = "own-words"\n',
  };
  home = await CodeWorkspace.open(files, 'a');
  home.serve({ servers: known('typescript', 'pyright'), environment, limits: { settleTimeout: 50_000 } });
});

afterAll(() => home.dispose());

function context(): CodeContext {
  const { roots } = home.workspace.snapshot();
  return home.context(new Scope({ roots, rules: { deny: ['denied.ts'] } }));
}

test.each(['fromOutside', 'fromDenied'])(
  'definition conceals the value of %s, which no file in scope holds',
  async (symbol) => {
    const found = await definition(context(), { symbol, file: home.at('a/use.ts') });
    expect(JSON.stringify(found)).not.toContain('hunter');
    expect(found.hover).toContain('"…"');
    expect(found.notes).toEqual([expect.stringContaining('no file in the roots')]);
  },
);

test('diagnostics conceal values from outside and from denied files, and keep those of other files in scope', async () => {
  const found = await diagnostics(context(), { file: home.at('a/use.ts') });
  const messages = JSON.stringify(found.files);
  expect(messages).not.toContain('hunter');
  expect(messages).toContain('is not assignable to type');
  expect(messages).toMatch(/Colour|crimson/);
  expect(found.notes).toEqual([expect.stringContaining('no file in the roots')]);
});

test('diagnostics of Python conceal a value from outside and keep one of the file', async () => {
  const found = await diagnostics(context(), { file: home.at('a/use.py') });
  const messages = JSON.stringify(found.files);
  expect(messages).not.toContain('hunter');
  expect(messages).toContain('own-words');
});
