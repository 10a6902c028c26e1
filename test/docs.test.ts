import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';

const repository = fileURLToPath(new URL('..', import.meta.url));
// Below the repository, so that the blocks find the packages the way a user's project would.
const scratch = join(repository, 'node_modules', '.cache', 'docs-test');
const run = promisify(execFile);

function markdownIn(folder: string): string[] {
  return readdirSync(join(repository, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(repository, folder, name));
}

const PAGES = [...markdownIn('.'), ...markdownIn('docs')];

interface Block {
  readonly page: string;
  readonly line: number;
  readonly code: string;
}

function blocksOf(path: string): Block[] {
  const text = readFileSync(path, 'utf8');
  return [...text.matchAll(/^```js\n(.*?)^```$/gms)].map((match) => ({
    page: relative(repository, path),
    line: text.slice(0, match.index).split('\n').length,
    code: match[1] ?? '',
  }));
}

const BLOCKS = PAGES.flatMap(blocksOf);

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe('The documentation', () => {
  test('has code to run', () => {
    expect(BLOCKS.length).toBeGreaterThan(0);
  });

  test.each(BLOCKS)('shows code that runs: $page line $line', async ({ page, line, code }) => {
    mkdirSync(scratch, { recursive: true });
    const file = join(scratch, `${page.replaceAll(/\W/g, '-')}-${line}.mjs`);
    writeFileSync(file, code);
    await expect(run(process.execPath, [file], { cwd: scratch })).resolves.toBeDefined();
  });

  test.each(PAGES.map((page) => relative(repository, page)))('links only to what exists: %s', (page) => {
    const text = readFileSync(join(repository, page), 'utf8').replaceAll(/^```.*?^```$/gms, '');
    const targets = [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map((match) => match[1] ?? '');
    const missing = targets.filter((target) => !existsSync(join(repository, dirname(page), target)));
    expect(missing).toEqual([]);
  });
});
