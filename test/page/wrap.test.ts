import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, describe, test } from 'vitest';
import { PROGRAM } from '../server/fixtures/rootward.js';
import { INNER } from '../wrap/fixtures/wrapped.js';
import { browserPath, useBrowser, view } from './fixtures/browser.js';
import { Place } from './fixtures/ui.js';

const wrap = [process.execPath, INNER];

describe.skipIf(browserPath === undefined)('A wrapped server on the page', () => {
  const use = useBrowser();

  test('is found with its client, roots, decisions and server, and loses a root that is revoked', async () => {
    const place = new Place();
    const audit = join(new Place().project, 'audit');
    const config = join(new Place({ 'rootward.json': '{ "deny": ["*.pem"] }' }).project, 'rootward.json');
    const args = ['--hide-tools', 'crash', '--audit', audit, '--config', config];
    const session = await place.server({ wrap, args, client: 'an editor' });
    const page = await use().open(await place.ui());
    await page.getByText('an editor 1.0').waitFor();
    await page.getByText('wrap, stdio').waitFor();
    await page.getByText('nothing holds it to them but itself').waitFor();
    await page.getByText(`Not enforced: "deny" in ${config}`).waitFor();
    await page.locator('.roots .path', { hasText: place.project }).waitFor();
    expect(await session.call('where', {})).toMatchObject({ refused: false });
    expect(await session.call('crash', {})).toMatchObject({ refused: true });

    await view(page, 'Decisions');
    await page.getByRole('button', { name: 'where' }).waitFor();
    await page.getByRole('button', { name: 'crash' }).click();
    await page.getByText('The operator has hidden this tool').waitFor();
    await view(page, 'Children');
    await page.getByText('wrapped server').waitFor();

    await view(page, 'Now');
    await page.getByRole('button', { name: 'Read-only' }).click();
    await page.getByRole('button', { name: 'Yes' }).click();
    await page.getByText('without a sandbox nothing holds a wrapped server to it').waitFor();
    // A call that is under way gets no answer from a folder that is taken away.
    const begun = join(place.project, 'begun');
    const waiting = session.call('wait', { path: join(place.project, 'never'), write: begun });
    await expect.poll(() => existsSync(begun)).toBe(true);
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('button', { name: 'Yes' }).click();
    expect(await waiting).toMatchObject({ refused: true });
    await page.locator('.limits').waitFor();
    expect(await session.call('where', {})).toMatchObject({ refused: true });
    session.announce();
    expect(await session.call('where', {})).toMatchObject({ refused: true });
    await page.getByRole('button', { name: 'Lift' }).click();
    await page.getByRole('button', { name: 'Yes' }).click();
    await page.locator('.limits').waitFor({ state: 'detached' });
    expect(await session.call('where', {})).toMatchObject({ refused: false });
    const lines = readFileSync(audit, 'utf8').trim().split('\n');
    const events = lines.map((line) => JSON.parse(line) as Readonly<Record<string, string>>);
    expect(events.map(({ tool, decision }) => `${tool} ${decision}`)).toEqual([
      'where allowed',
      'crash refused',
      'wait allowed',
      'revoke allowed',
      'where refused',
      'where refused',
      'lift allowed',
      'where allowed',
    ]);
    expect(events[0]).toMatchObject({ path: place.project });
  });
});

describe.runIf(process.platform !== 'win32')('rootward wrap --ui', () => {
  test('serves a page of its own, which ends with it', async () => {
    const { environment } = new Place();
    const child = spawn(process.execPath, [PROGRAM, 'wrap', '--ui', '--', ...wrap], {
      env: environment,
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    await expect.poll(() => said).toContain('the page is at http://127.0.0.1:');
    const url = new URL(/http:\S+/.exec(said)?.[0] ?? '');
    const stream = await fetch(`${url.origin}/stream`, {
      headers: { authorization: `Bearer ${url.hash.slice(1)}` },
    });
    expect(stream.status).toBe(200);
    await stream.body?.cancel();
    const ended = once(child, 'exit');
    child.stdin.end();
    expect(await ended).toEqual([0, null]);
  });
});
