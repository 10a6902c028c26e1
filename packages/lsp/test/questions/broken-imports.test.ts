import { afterEach, expect, test } from 'vitest';
import { readPathRoots, Scope } from '@rootward/core';
import { brokenImports } from '../../src/questions/broken-imports.js';
import { Folder } from '../fixtures/folder.js';

const folder = new Folder({ 'a.js': '', 'b.ts': '', 'c/index.js': '', 'd.json': '{}' });

afterEach(() => folder[Symbol.dispose]());

test('brokenImports() finds imports of files that are not there', async () => {
  const { roots } = await readPathRoots([{ path: folder.path }], { source: 'flag', home: '/nonexistent' });
  const text = [
    "import './a.js';",
    "export * from './b.js';",
    "const c = require('./c');",
    "const d = await import('./d.json');",
    "import x from 'a-package';",
    "// import './comment.js';",
    'const text = "import \'./string.js\'";',
    "import y from '../outside.js';",
    "import { z } from './gone.js';",
  ].join('\n');
  const found = brokenImports(new Scope({ roots }), folder.at('main.js'), text);
  expect(found).toMatchObject([{ line: 9, column: 14, message: 'Cannot find "./gone.js"' }]);
});
