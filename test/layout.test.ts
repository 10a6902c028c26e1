import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';

const script = fileURLToPath(new URL('../scripts/check-layout.mjs', import.meta.url));
const top = mkdtempSync(join(tmpdir(), 'rootward-circles-'));
afterAll(() => rmSync(top, { recursive: true }));

/** Exit code and output of the check over these files. */
async function check(name: string, files: Record<string, string>): Promise<[number, string]> {
  for (const [file, text] of Object.entries(files)) {
    const path = join(top, name, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [script, join(top, name)]);
    return [0, stdout];
  } catch (error) {
    const { code, stderr } = error as { code: number; stderr: string };
    return [code, stderr];
  }
}

test.each([
  ['a value', "import { b } from './b.js';\nexport const a = b;\n"],
  ['a type', "import type { b } from './b.js';\nexport type A = typeof b;\n"],
  ['import()', "export const a = async () => (await import('./b.js')).b;\n"],
])('the check fails on two files that import each other, with %s', async (kind, text) => {
  const [code, output] = await check(`files ${kind}`, {
    'a.ts': text,
    'b.ts': "import type {} from './a.js';\nexport const b = 1;\n",
  });
  expect([code, output]).toEqual([1, expect.stringContaining('These files import each other')]);
});

test('the check fails on folders that import each other, though no files do', async () => {
  const [code, output] = await check('folders', {
    'one/a.ts': "export * from '../two/a.js';\n",
    'one/b.ts': 'export const b = 1;\n',
    'two/a.ts': 'export const a = 1;\n',
    'two/b.ts': "export * from '../one/b.js';\n",
  });
  expect([code, output]).toEqual([1, expect.stringContaining('These folders import each other')]);
});

test('the check passes where imports go one way', async () => {
  const [code] = await check('one way', {
    'index.ts': "export * from './one/a.js';\n",
    'error.ts': 'export const error = 1;\n',
    'one/a.ts': "export * from '../error.js';\nexport * from '../two/a.js';\n",
    'two/a.ts': "export * from '../error.js';\n",
  });
  expect(code).toBe(0);
});

const LINE = 'export const line = 1;\n';

test('the check fails on a file with more than 500 lines, and on no shorter one', async () => {
  const [code, output] = await check('lines', { 'a.ts': LINE.repeat(500), 'b.css': 'a {}\n'.repeat(501) });
  expect([code, output]).toEqual([1, expect.stringContaining('b.css has 501 lines; the limit is 500')]);
  expect(output).not.toContain('a.ts');
});
