import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { repository } from './pages.js';

// Below the repository, so that the examples find the packages the way a user's project would.
const scratch = join(repository, 'node_modules', '.cache', 'doc-examples');
const run = promisify(execFile);

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function sources(): readonly string[] {
  const folders = readdirSync(join(repository, 'packages'))
    .map((name) => join('packages', name, 'src'))
    .filter((folder) => existsSync(join(repository, folder)));
  return folders.flatMap((folder) =>
    readdirSync(join(repository, folder), { encoding: 'utf8', recursive: true })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(folder, name)),
  );
}

/** The code after `@example` in the doc comments of a file. */
function examplesIn(file: string): readonly string[] {
  const text = readFileSync(join(repository, file), 'utf8');
  return [...text.matchAll(/@example\n \* ```ts\n(.*?)^ \* ```$/gms)].map(([, code = '']) =>
    code.replaceAll(/^ \* ?/gm, ''),
  );
}

test('the examples in doc comments compile', async () => {
  const examples = sources().flatMap(examplesIn);
  expect(examples.length).toBeGreaterThanOrEqual(10);
  mkdirSync(scratch, { recursive: true });
  for (const [index, code] of examples.entries()) writeFileSync(join(scratch, `example-${index}.mts`), code);
  const extended = join(repository, 'tsconfig.base.json');
  const compilerOptions = { noEmit: true, composite: false, isolatedDeclarations: false, declaration: false };
  const config = { extends: extended, compilerOptions: { ...compilerOptions, declarationMap: false } };
  writeFileSync(join(scratch, 'tsconfig.json'), JSON.stringify({ ...config, include: ['.'] }));
  const tsc = join(repository, 'node_modules', 'typescript', 'bin', 'tsc');
  // What the compiler finds wrong is on stdout, also where it fails.
  const { stdout } = await run(process.execPath, [tsc, '-p', scratch]).catch(
    (error: { stdout: string }) => error,
  );
  expect(stdout).toBe('');
});
