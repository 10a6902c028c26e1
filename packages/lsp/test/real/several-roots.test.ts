import { afterEach, expect, test } from 'vitest';
import { references } from '@rootward/lsp';
import { CodeWorkspace } from '../fixtures/code-workspace.js';
import { environment, hasClangd, known } from '../fixtures/real-servers.js';
import { isInstalled } from '../fixtures/repositories.js';

const LIMITS = { settleTimeout: 50_000, requestTimeout: 50_000 };

let home: CodeWorkspace;

afterEach(() => home.dispose());

type Files = Readonly<Record<string, string>>;

/** Two repositories that have nothing to do with each other, and call a package and what is in it the same. */
const NAMESAKES: readonly {
  readonly server: string;
  readonly installed: boolean;
  readonly files: Files;
  readonly file: string;
}[] = [
  {
    server: 'pyright',
    installed: true,
    files: {
      'pyproject.toml': '[tool.pyright]\ninclude = ["src"]\n',
      'src/shop/__init__.py': 'from .core import Price as Price\n',
      'src/shop/core.py': 'class Price: ...\n',
      'tests/test_it.py': 'from shop import Price\nimport shop\n\nPrice()\nshop.Price()\n',
    },
    file: 'src/shop/core.py',
  },
  {
    server: 'typescript',
    installed: true,
    files: {
      'package.json': '{ "name": "shop", "exports": "./src/core.ts" }',
      'tsconfig.json': '{ "compilerOptions": { "module": "nodenext", "noEmit": true } }',
      'src/core.ts': 'export class Price {}\n',
      'tests/it.ts': "import { Price } from 'shop';\n\nnew Price();\n",
    },
    file: 'src/core.ts',
  },
  {
    server: 'gopls',
    installed: isInstalled('gopls', 'go'),
    files: {
      'go.mod': 'module example.com/shop\n\ngo 1.19\n',
      'core/core.go': 'package core\n\nfunc Price() int { return 1 }\n',
      'use.go': 'package shop\n\nimport "example.com/shop/core"\n\nvar X = core.Price()\n',
    },
    file: 'core/core.go',
  },
  {
    server: 'clangd',
    installed: hasClangd,
    files: {
      'compile_flags.txt': '-Wall\n',
      'core.h': 'int Price(void);\n',
      'core.c': '#include "core.h"\nint Price(void) { return 1; }\n',
      'use.c': '#include "core.h"\nint use(void) { return Price(); }\n',
    },
    file: 'core.h',
  },
];

function below(folder: string, files: Files): Files {
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text]));
}

for (const { server, installed, files, file } of NAMESAKES) {
  test.skipIf(!installed)(
    `${server} (where installed) gives the same uses in a root alone and beside an unrelated one`,
    async () => {
      home = await CodeWorkspace.open({ ...below('a', files), ...below('b', files) }, 'a');
      const request = { symbol: 'Price', file: home.at('a', file) };
      home.serve({ servers: known(server), environment, limits: LIMITS });
      const alone = await references(home.context(), request);
      expect(alone).toMatchObject({ complete: true });
      expect(alone.total).toBeGreaterThan(1);
      await home.giveRoots('b', 'a');
      home.serve({ servers: known(server), environment, limits: LIMITS });
      expect(await references(home.context(), request)).toEqual(alone);
    },
  );
}

test('references() finds the uses of a library in the root of its consumer, or names what it cannot tell', async () => {
  const files = {
    'lib/shop/core.py': 'def price(): return 1\n',
    'app/pyrightconfig.json': '{ "extraPaths": ["../lib"] }',
    'app/main.py': 'from shop.core import price\n\nprice()\n',
    'app/other.py': 'def f(x):\n    return x.price()\n',
  };
  home = await CodeWorkspace.open(files, 'lib', 'app');
  home.serve({ servers: known('pyright'), environment, limits: LIMITS });
  const found = await references(home.context(), { symbol: 'price', file: home.at('lib/shop/core.py') });
  expect(found.files).toMatchObject([
    { file: home.at('app/main.py'), references: [{ line: 1 }, { line: 3 }] },
    { file: home.at('lib/shop/core.py') },
  ]);
  expect(found.complete).toBe(false);
  expect(found.notes).toEqual([expect.stringContaining(`${home.at('app/other.py')}" (line 2: `)]);
});

test.skipIf(!hasClangd)('clangd (where installed) finds a use of C in another root', async () => {
  const files = {
    'lib/compile_flags.txt': '-Wall\n',
    'lib/core.h': 'int price(void);\n',
    'lib/core.c': '#include "core.h"\nint price(void) { return 1; }\n',
    'app/compile_flags.txt': '-I../lib\n',
    'app/main.c': '#include "core.h"\nint main(void) { return price(); }\n',
  };
  home = await CodeWorkspace.open(files, 'lib', 'app');
  home.serve({ servers: known('clangd'), environment, limits: LIMITS });
  const { total, files: found } = await references(home.context(), {
    symbol: 'price',
    file: home.at('lib/core.h'),
  });
  expect(total).toBe(3);
  expect(found.map(({ file }) => file)).toContain(home.at('app/main.c'));
});

test('references() names a root whose server cannot be asked', async () => {
  const files = { 'a/one.sh': 'price() { :; }\n', 'b/two.sh': 'price() { :; }\nprice\n' };
  home = await CodeWorkspace.open(files, 'a', 'b');
  const [bash] = known('bash-language-server');
  home.serve({ servers: [bash!], environment, limits: { ...LIMITS, maxServers: 1 } });
  const found = await references(home.context(), { symbol: 'price', file: home.at('a/one.sh') });
  expect(found).toMatchObject({ total: 1, complete: false });
  expect(found.notes).toEqual([expect.stringMatching(/^".*b" was not asked about: 1 file there mention/)]);
});
