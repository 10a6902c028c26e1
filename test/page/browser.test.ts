import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.js';
import { browserPath, seriousFindings, useBrowser, view } from './fixtures/browser.js';
import { Place, type Session } from './fixtures/ui.js';

interface AuditLine {
  readonly session: string;
  readonly tool: string;
}

const HOSTILE = '<img src=x onerror="document.title=1"><script>document.title=2</script>';

/** Scrolls the list of decisions to its end in 20 frames. Resolves to how many rows there were in each. Runs in the page. */
const SCROLL_THROUGH = `(async () => {
  const list = document.querySelector('[role=region][aria-label=Decisions]');
  const rows = [];
  for (let frame = 1; frame <= 20; frame++) {
    list.scrollTo(0, ((list.scrollHeight - list.clientHeight) * frame) / 20);
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    rows.push(list.querySelectorAll('.row').length);
  }
  return rows;
})()`;

/** How the element with the focus is outlined. Runs in the page. */
const OUTLINE = 'getComputedStyle(document.activeElement).outlineStyle';
/** How far things have moved on their own since the page was opened; browsers call less than 0.1 good. Runs in the page. */
const SHIFTED = `new Promise((resolve) => {
  new PerformanceObserver((list) => {
    resolve(list.getEntries().filter((shift) => !shift.hadRecentInput).reduce((sum, { value }) => sum + value, 0));
  }).observe({ type: 'layout-shift', buffered: true });
  requestAnimationFrame(() => setTimeout(() => resolve(0)));
})`;

// Without a browser this is named as skipped: apt-get install chromium.
describe.skipIf(browserPath === undefined)('The page in Chromium', () => {
  const use = useBrowser();
  const open = (url: URL, options?: Parameters<Browser['newPage']>[0]): Promise<Page> =>
    use().open(url, options);
  // Most tests look at the same server: each start costs more than what is looked at.
  const place = new Place();
  let shared: { readonly url: URL; readonly session: Session };
  beforeAll(async () => {
    const [url, session] = await Promise.all([place.ui(), place.server()]);
    shared = { url, session };
  });
  /** A page that has found the shared server. */
  const look = async (
    options?: Parameters<Browser['newPage']>[0],
  ): Promise<{ readonly page: Page; readonly session: Session }> => {
    const page = await open(shared.url, options);
    await page.getByText('a client 1.0').waitFor();
    return { page, session: shared.session };
  };

  test('shows sessions with their roots and why, and decisions as they are made', async () => {
    const { page, session } = await look();
    await session.call('read_text_file', { path: 'a.txt' });
    expect(await page.locator('.roots .path').first().textContent()).toBe(place.project);
    // Until the client has answered, the folder it started in is used.
    await page.locator('.ladder .used strong', { hasText: 'client' }).waitFor();

    await view(page, 'Decisions');
    await session.call('read_text_file', { path: '/etc/passwd' });
    await page.getByRole('button', { name: '/etc/passwd' }).click();
    await page.getByText('It lies outside every root').waitFor();
    await page.getByLabel('Verdict').selectOption('allowed');
    await page.getByText('/etc/passwd').waitFor({ state: 'detached' });
    await view(page, 'Children');
    await page.getByText('No child is running').waitFor();
  });

  test('shows which agent calls from which working tree', async () => {
    const repository = new Place();
    const git = (...args: string[]): void => {
      const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid'];
      execFileSync('git', ['-C', repository.project, ...identity, ...args], { stdio: 'pipe' });
    };
    git('init', '-b', 'main');
    git('add', '.');
    git('commit', '-m', 'first');
    const tree = join(repository.project, 'trees', 'fix');
    git('worktree', 'add', '-b', 'fix', tree);
    const session = await repository.server({ client: 'claude-code' });
    const page = await open(await repository.ui());
    await page.getByText('claude-code 1.0').waitFor();
    const callFrom = async (agent: string, cwd: string, id: string): Promise<void> => {
      await session.call('bind_caller', { cwd, id, agent });
      await session.call('list_directory', { path: '.' }, { 'claudecode/toolUseId': id });
    };
    await callFrom('', repository.project, 'one');
    await callFrom('fixer', tree, 'two');
    const item = (path: string): Locator =>
      page.locator('.trees > li').filter({ has: page.getByText(path, { exact: true }) });
    await item(repository.project).getByText('main agent').waitFor();
    await item(repository.project).getByText('main tree').waitFor();
    await item(tree).getByText('fixer').waitFor();
    await item(tree).getByText('known from agent').waitFor();
    expect(await item(repository.project).getByText('fixer').count()).toBe(0);
  });

  test('answers whether a path may be touched, and why', async () => {
    const { page } = await look();
    await view(page, 'Ask');
    await page.getByLabel('Path').fill('/etc/passwd');
    await page.getByRole('button', { name: 'May it be touched?' }).click();
    await page.getByText('it is outside the roots').waitFor();
    await page.getByLabel('Path').fill('new.txt');
    await page.getByRole('button', { name: 'May it be touched?' }).click();
    await page.getByText('does not exist yet and may be changed').waitFor();
  });

  test('revokes a root for the next call, also when the client names it again, until it is lifted', async () => {
    const { page, session } = await look();
    const read = () => session.call('read_text_file', { path: join(session.project, 'a.txt') });
    expect(await read()).toMatchObject({ refused: false });
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('button', { name: 'Yes' }).click();
    await page.locator('.limits').waitFor();
    expect(await read()).toMatchObject({
      refused: true,
      text: expect.stringContaining('the operator revoked it'),
    });
    session.announce();
    expect(await read()).toMatchObject({ refused: true });
    await page.getByRole('button', { name: 'Lift' }).click();
    await page.getByRole('button', { name: 'Yes' }).click();
    await page.locator('.limits').waitFor({ state: 'detached' });
    expect(await read()).toMatchObject({ refused: false, text: 'hello' });

    await page.getByRole('button', { name: 'Read-only' }).click();
    await page.getByRole('button', { name: 'Yes' }).click();
    await page.locator('.limits').waitFor();
    expect(await session.call('write_file', { path: 'b.txt', content: '' })).toMatchObject({ refused: true });
    await page.getByRole('button', { name: 'Lift' }).click();
    await page.getByRole('button', { name: 'Yes' }).click();
    await page.locator('.limits').waitFor({ state: 'detached' });
    await view(page, 'Decisions');
    for (const action of ['revoke', 'lift', 'make-read-only'])
      await page.getByText(action, { exact: true }).first().waitFor();
  });

  test('with --ui-consent a yes on the page lets a waiting switch_project finish, for the session or until revoked', async () => {
    const asking = new Place();
    const other = new Place().project;
    const audit = join(new Place().project, 'audit');
    const args = ['--ui-consent', '--audit', audit];
    const page = await open(await asking.ui());
    let count = 0;
    /** Until the page knows of it, nobody could answer. */
    const start = async (): Promise<Session> => {
      const client = `client ${(count += 1)}`;
      const started = await asking.server({ args, client });
      await view(page, 'Now');
      await page.getByText(`${client} 1.0`).waitFor();
      await view(page, 'Consent');
      return started;
    };
    let session = await start();
    const answer = async (button: string): Promise<boolean> => {
      const switched = session.call('switch_project', { project: other });
      await page.getByRole('button', { name: button }).click();
      return (await switched).refused;
    };
    const read = () => session.call('read_text_file', { path: join(other, 'a.txt') });
    const startAgain = async (): Promise<void> => {
      await session.end();
      session = await start();
    };
    expect(await answer('Decline')).toBe(true);
    expect(await answer('Allow for this session')).toBe(false);
    expect(await read()).toMatchObject({ text: 'hello' });

    // Forgotten with its session: the next one is asked again.
    await startAgain();
    expect(await read()).toMatchObject({ refused: true });
    expect(await answer('Allow until revoked')).toBe(false);
    await page.getByText('Allowed until revoked').waitFor();
    await startAgain();
    expect(await session.call('switch_project', { project: other })).toMatchObject({ refused: false });
    expect(await read()).toMatchObject({ text: 'hello' });
    expect(await seriousFindings(page)).toEqual([]);

    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('button', { name: 'Yes' }).click();
    await page.getByText('Allowed until revoked').waitFor({ state: 'detached' });
    expect(await read()).toMatchObject({ refused: true });
    // Nothing is left that could answer the next session.
    expect(readdirSync(join(asking.environment['HOME'] ?? '', '.local/state/rootward/consents'))).toEqual([]);
    const events = readFileSync(audit, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as AuditLine);
    const operator = events.filter((event) => event.session === 'operator');
    expect(operator.map(({ tool }) => tool)).toEqual([
      'decline',
      'consent',
      'standing-consent',
      'standing-consent',
      'withdraw-consent',
    ]);
  });

  test('shows a change with its difference, and takes it back', async () => {
    const { page, session } = await look();
    await session.call('write_file', { path: 'a.txt', content: `goodbye ${HOSTILE}` });
    await view(page, 'History');
    await page.getByRole('button', { name: 'Difference of a.txt' }).click();
    await page.locator('.diff .out', { hasText: 'hello' }).waitFor();
    // Markup in a file is text: no element comes of it, and nothing of it runs.
    expect(await page.locator('.diff .in').textContent()).toBe(`goodbye ${HOSTILE}`);
    expect(await page.locator('.diff :is(img, script)').count()).toBe(0);
    expect(await page.title()).toBe('Rootward');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Yes' }).click();
    await page.getByText('undone', { exact: true }).waitFor();
    expect(readFileSync(join(place.project, 'a.txt'), 'utf8')).toBe('hello');
  });

  test('shows two browsers the same, and finds a server that was started again', async () => {
    const other = new Place();
    const url = await other.ui();
    const pages = [await open(url), await open(url)];
    for (const page of pages) await page.getByText('No server is running').waitFor();
    const first = await other.server({ client: 'the first' });
    for (const page of pages) await page.getByText('the first 1.0').waitFor();
    await first.end();
    for (const page of pages) await page.getByText('No server is running').waitFor();
    await other.server({ client: 'the second' });
    for (const page of pages) await page.getByText('the second 1.0').waitFor();
  });

  test('keeps 10,000 decisions in a list of a few rows', async () => {
    const { page, session } = await look();
    await view(page, 'Decisions');
    const paths = Array.from({ length: 500 }, (_, index) => `missing-${index}`);
    for (let round = 0; round < 20; round++) await session.call('read_multiple_files', { paths });
    await page.getByText('10000 of 10000').waitFor();
    // Frame by frame from the newest to the oldest; how long a frame takes is measured in bench.
    const rows = await page.evaluate<readonly number[]>(SCROLL_THROUGH);
    expect(Math.max(...rows)).toBeLessThan(100);
    expect(Math.min(...rows)).toBeGreaterThan(5);
    await page.getByText('missing-0', { exact: true }).first().waitFor();
  });

  test('shows names of others as text, runs nothing of them, and asks nobody else', async () => {
    const hostile = new Place({ [HOSTILE.replaceAll('/', '')]: 'x' });
    const session = await hostile.server({ client: HOSTILE });
    const page = await use().newPage();
    await page.goto((await hostile.ui()).href);
    await page.getByText(HOSTILE).first().waitFor();
    await view(page, 'Decisions');
    await session.call('read_text_file', { path: HOSTILE });
    await page.getByText(HOSTILE).first().waitFor();
    expect(await page.title()).toBe('Rootward');
    expect(await page.locator('main img, main script').count()).toBe(0);
    // Also where something of it did run: the policy lets nothing out, and no other script in.
    for (const [attempt, directive] of [
      ['new Image().src = "http://outside.invalid/"', 'img-src'],
      ['fetch("http://outside.invalid/").catch(() => undefined)', 'connect-src'],
      [
        'document.body.append(Object.assign(document.createElement("script"), { text: "1" }))',
        'script-src-elem',
      ],
      ['document.body.setAttribute("onclick", "1")', 'script-src-attr'],
    ]) {
      const refused = page.evaluate<string>(
        `new Promise((resolve) => {
          document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective), { once: true });
          ${attempt};
        })`,
      );
      expect(await refused).toBe(directive);
    }
  });

  test('cannot be framed by another page', async () => {
    const { url } = shared;
    const page = await use().newPage();
    await page.setContent('<iframe></iframe>');
    const answer = page.waitForResponse((response) => response.url().startsWith(url.origin));
    await page.evaluate(`document.querySelector('iframe').src = ${JSON.stringify(url.href)}`);
    // The browser says that another page asks, and the answer may not be framed either.
    expect((await answer).status()).toBe(403);
    expect(await page.frameLocator('iframe').getByText('Rootward').count()).toBe(0);
  });

  test('says that it cannot know when its own server has ended, and keeps the decisions', async () => {
    const ended = new Place();
    const session = await ended.server();
    const page = await open(await ended.ui());
    await page.getByText('a client 1.0').waitFor();
    await session.call('read_text_file', { path: '/etc/passwd' });
    await view(page, 'Decisions');
    await page.getByRole('button', { name: '/etc/passwd' }).waitFor();
    await ended.endUi();
    await page.getByText('Connection lost').waitFor();
    expect(await page.getByRole('button', { name: '/etc/passwd' }).count()).toBe(1);
    await view(page, 'Now');
    await page.getByText('The connection is lost').waitFor();
    expect(await page.getByText('No server is running').count()).toBe(0);
  });

  test('says so when the token is wrong', async () => {
    const url = new URL(shared.url);
    url.hash = '#wrong';
    const page = await use().newPage();
    await page.goto(url.href);
    await page.getByText('The token is not known').waitFor();
  });

  test('is used with the keyboard alone, with a focus that can be seen, and nothing jumps', async () => {
    const { page, session } = await look();
    const goTo = async (name: string): Promise<void> => {
      const focused = page.getByRole('button', { name }).and(page.locator(':focus'));
      await eventually(async () => {
        await page.keyboard.press('Tab');
        expect(await focused.count()).toBe(1);
      });
      expect(await page.evaluate<string>(OUTLINE)).not.toBe('none');
    };
    await goTo('Decisions');
    await page.keyboard.press('Enter');
    await session.call('read_text_file', { path: '/etc/hostname' });
    await page.getByRole('button', { name: '/etc/hostname' }).waitFor();
    await goTo('/etc/hostname');
    await page.keyboard.press('Enter');
    await page.getByText('It lies outside every root').waitFor();
    expect(await page.evaluate<number>(SHIFTED)).toBeLessThan(0.1);
  });

  test('fits 360 pixels and a wide screen, light and dark, and axe finds nothing serious', async () => {
    const { page, session } = await look({ viewport: { width: 360, height: 740 } });
    await session.call('read_text_file', { path: 'a.txt' });
    for (const name of ['Now', 'Decisions', 'Children', 'History', 'Ask', 'Consent']) {
      await view(page, name);
      for (const width of [360, 3840]) {
        await page.setViewportSize({ width, height: 740 });
        expect(await page.locator('html').evaluate((html) => html.scrollWidth)).toBeLessThanOrEqual(width);
      }
      await page.setViewportSize({ width: 1280, height: 800 });
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        expect({ name, colorScheme, serious: await seriousFindings(page) }).toEqual({
          name,
          colorScheme,
          serious: [],
        });
      }
    }
  });
});
