import { readFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { editSymbol } from '@rootward/lsp';
import { CodeWorkspace } from '../fixtures/code-workspace.js';
import { environment, hasClangd, known } from '../fixtures/real-servers.js';
import { isInstalled } from '../fixtures/repositories.js';

let home: CodeWorkspace;

afterEach(() => home.dispose());

interface Case {
  readonly server: string;
  readonly installed: boolean;
  readonly file: string;
  readonly before: string;
  /** What stands in the place of `add`, and what comes behind it. */
  readonly replacement: string;
  readonly further: string;
  readonly after: string;
  readonly beside?: Readonly<Record<string, string>>;
}

const CASES: readonly Case[] = [
  {
    server: 'bash-language-server',
    installed: true,
    file: 'a.sh',
    before: '# Adds.\nadd() {\n  echo 1\n}\n\nadd\n',
    replacement: 'add() {\n  echo 2\n}',
    further: 'sub() {\n  echo 3\n}',
    after: '# Adds.\nadd() {\n  echo 2\n}\n\nsub() {\n  echo 3\n}\n\nadd\n',
  },
  {
    server: 'yaml-language-server',
    installed: true,
    file: 'a.yaml',
    before: 'top:\n  add:\n    x: 1\nend: 1\n',
    replacement: 'add:\n  x: 2',
    further: 'sub: 3',
    after: 'top:\n  add:\n    x: 2\n  sub: 3\nend: 1\n',
  },
  {
    server: 'clangd',
    installed: hasClangd,
    file: 'a.c',
    before: '/** Adds. */\nint add(int a) {\n\treturn a + 1;\n}\n\nint other;\n',
    replacement: 'int add(int a) {\n\treturn a + 2;\n}',
    further: 'int sub(int a) {\n\treturn a - 2;\n}',
    after:
      '/** Adds. */\nint add(int a) {\n\treturn a + 2;\n}\n\nint sub(int a) {\n\treturn a - 2;\n}\n\nint other;\n',
  },
  {
    server: 'gopls',
    installed: isInstalled('gopls', 'go'),
    file: 'a.go',
    before: 'package a\n\n// Adds.\nfunc add(a int) int {\n\treturn a + 1\n}\n\nvar other = add(1)\n',
    replacement: 'func add(a int) int {\n\treturn a + 2\n}',
    further: 'func sub(a int) int {\n\treturn a - 2\n}',
    after:
      'package a\n\n// Adds.\nfunc add(a int) int {\n\treturn a + 2\n}\n\nfunc sub(a int) int {\n\treturn a - 2\n}\n\nvar other = add(1)\n',
    beside: { 'a/go.mod': 'module a\n\ngo 1.19\n' },
  },
];

for (const { server, installed, file, before, replacement, further, after, beside } of CASES) {
  test.skipIf(!installed)(
    `${server} (where installed): editSymbol() replaces a declaration below its comment, and puts another behind it`,
    async () => {
      home = await CodeWorkspace.open({ [`a/${file}`]: before, ...beside }, 'a');
      const limits = { settleTimeout: 50_000, requestTimeout: 50_000 };
      home.serve({ servers: known(server), environment, limits });
      const edit = { file: home.at('a', file), symbol: 'add' };
      await editSymbol(home.context(), { ...edit, action: 'replace', text: replacement });
      await editSymbol(home.context(), { ...edit, action: 'insert_after', text: further });
      expect(readFileSync(edit.file, 'utf8')).toBe(after);
    },
  );
}
