import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
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

  test('compares with figures that were measured', () => {
    const results = PAGES.find(({ name }) => name === join('bench', 'RESULTS.md'))?.text ?? '';
    const front = PAGES.find(({ name }) => name === 'README.md')?.text ?? '';
    const measured = (what: string): readonly number[] => {
      const row = new RegExp(`^\\| ${what} .*$`, 'm').exec(results)?.[0] ?? '';
      return [...row.matchAll(/\| (\d[\d.]*)/g)].map((match) => Number(match[1]));
    };
    const [one = 0, otherOne = 0, ratio] = measured('read a 1 KB file, 1 root');
    const [many = 0, otherMany = 0] = measured('read a 1 KB file, 5000 roots');
    expect(front).toContain(`| 1 KB read over stdio, warm | ${ratio}× the time | 1× |`);
    const [, , short] = measured('start and 100 reads of a 1 KB file');
    expect(front).toContain(`| start and the first 100 reads | ${short}× the time | 1× |`);
    expect(front).toContain(
      `| ${(many / one).toFixed(1)} times its own time with one | ${Math.round(otherMany / otherOne)} times |`,
    );
    expect(front).toContain(
      `| start to the answer to \`initialize\` | ${measured('start to the answer to initialize')[2]}× the time | 1× |`,
    );
  });
});
