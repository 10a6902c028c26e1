import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { CLIENT_IDS } from '@rootward/core/platform';
import { blocksIn, PAGES, proseOf, repository, type Page } from './pages.js';

// Below the repository, so that the blocks find the packages the way a user's project would.
const scratch = join(repository, 'node_modules', '.cache', 'docs-test');
const run = promisify(execFile);
const BLOCKS = blocksIn('js');

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** The headings of a page as links name them. */
function anchorsOf(page: Page): readonly string[] {
  return [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}

describe('The documentation', () => {
  test('has code to run', () => {
    expect(BLOCKS.length).toBeGreaterThan(0);
    // Under another name it would not be run.
    expect([...blocksIn('javascript'), ...blocksIn('mjs')]).toEqual([]);
  });

  test.each(BLOCKS)('shows code that runs: $page line $line', async ({ page, line, code }) => {
    mkdirSync(scratch, { recursive: true });
    const file = join(scratch, `${page.replaceAll(/\W/g, '-')}-${line}.mjs`);
    writeFileSync(file, code);
    const running = run(process.execPath, [file], { cwd: scratch });
    running.child.stdin?.end();
    await expect(running).resolves.toBeDefined();
  });

  test.each(blocksIn('json'))('shows JSON that can be pasted: $page line $line', ({ code }) => {
    expect(() => {
      JSON.parse(code);
    }).not.toThrow();
  });

  test('is reached from the front page, every guide of it', () => {
    const front = PAGES.find(({ name }) => name === 'README.md')?.text ?? '';
    const guides = PAGES.map(({ name }) => name).filter((name) => name.startsWith('docs'));
    expect(guides.length).toBeGreaterThan(5);
    expect(guides.filter((name) => !front.includes(`](${name.replaceAll('\\', '/')})`))).toEqual([]);
  });

  test('counts the clients as the code does', () => {
    const front = PAGES.find(({ name }) => name === 'README.md')?.text ?? '';
    expect(front).toContain(`It knows ${CLIENT_IDS.length} clients`);
  });

  test.each(PAGES)('links only to what exists: $name', (page) => {
    const targets = [...proseOf(page).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map(
      (match) => match[1] ?? '',
    );
    const missing = targets.filter((target) => !existsSync(join(repository, dirname(page.name), target)));
    expect(missing).toEqual([]);
  });

  test.each(PAGES)('links only to headings that exist: $name', (page) => {
    const links = [...proseOf(page).matchAll(/\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)/g)];
    const missing = links.filter(([, path = '', heading = '']) => {
      const name = path === '' ? page.name : join(dirname(page.name), path);
      const target = PAGES.find((other) => other.name === name);
      return target === undefined || !anchorsOf(target).includes(heading);
    });
    expect(missing.map(([link]) => link)).toEqual([]);
  });
});
