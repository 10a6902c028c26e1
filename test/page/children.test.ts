import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeProject } from '../exec/fixtures/tools-project.js';
import { INNER } from '../wrap/fixtures/wrapped.js';
import { browserPath, seriousFindings, useBrowser, view } from './fixtures/browser.js';
import { Place, type Session } from './fixtures/ui.js';

const BIN = fileURLToPath(new URL('../../node_modules/.bin', import.meta.url));

describe.skipIf(browserPath === undefined)('The children on the page', () => {
  const use = useBrowser();
  const place = new Place({ 'a.sh': 'greet() { echo hi; }\n' });
  let url: URL;
  let session: Session;
  beforeAll(async () => {
    const tools = makeProject({ wait: 'echo "half of it is done <b>" >&2; sleep 600' });
    const config = join(new Place().project, 'rootward.json');
    const inner = { command: process.execPath, args: [INNER] };
    writeFileSync(config, JSON.stringify({ wrap: { inner }, sandbox: { level: 'off' } }));
    const args = ['--config', config, '--project', tools.path, '--sandbox', 'off'];
    const environment = { ROOTWARD_PROGRAM_FOLDERS: BIN };
    [url, session] = await Promise.all([place.ui(), place.server({ args, environment })]);
  });
  const open = async (): Promise<Page> => {
    const page = await use().open(url);
    await page.getByText('a client 1.0').waitFor();
    return page;
  };

  test('a tool that runs is shown with its sandbox, memory and last lines, and can be ended', async () => {
    const page = await open();
    const answer = session.call('wait', {});
    await view(page, 'Children');
    const child = page.getByRole('listitem', { name: 'wait' });
    await child.getByText('half of it is done <b>').waitFor();
    await child.getByText('tool · pid').waitFor();
    await child.getByText('off', { exact: true }).waitFor();
    await child.getByText(/^\d+ MB$/).waitFor();
    // It was started by a call, so there is nothing to put in its place.
    expect(await child.getByRole('button', { name: 'Restart' }).count()).toBe(0);
    expect(await seriousFindings(page)).toEqual([]);
    await child.getByRole('button', { name: 'End' }).click();
    await child.getByRole('button', { name: 'Yes' }).click();
    expect(await answer).toMatchObject({ refused: true });
    await child.waitFor({ state: 'detached' });
  });

  test('a wrapped server and a language server are restarted, and ended ones come back with the next call', async () => {
    const page = await open();
    expect(await session.call('outline', { file: 'a.sh' })).toMatchObject({ refused: false });
    await view(page, 'Children');
    for (const [name, again] of [
      ['inner', () => session.call('inner_where', {})],
      ['bash-language-server', () => session.call('outline', { file: 'a.sh' })],
    ] as const) {
      const child = page.getByRole('listitem', { name });
      const pid = async (): Promise<string> => /pid (\d+)/.exec(await child.innerText())?.[1] ?? '';
      // One that was restarted for its folders may still be there for a moment, and its row goes with it.
      const settled = async (): Promise<void> => {
        const { refused, text } = await again();
        expect(refused).toBe(false);
        // A language server does not say which process it is.
        const answering = /"pid":(\d+)/.exec(text)?.[1] ?? '\\d+';
        await expect.poll(() => child.count()).toBe(1);
        await expect.poll(() => child.innerText()).toMatch(new RegExp(`pid ${answering}\\b`));
      };
      await settled();
      const first = await pid();
      await child.getByRole('button', { name: 'Restart' }).click();
      await child.getByRole('button', { name: 'Yes' }).click();
      await expect.poll(pid).not.toBe(first);
      await settled();
      await child.getByRole('button', { name: 'End' }).click();
      await child.getByRole('button', { name: 'Yes' }).click();
      await child.waitFor({ state: 'detached' });
      expect(await again()).toMatchObject({ refused: false });
      await child.waitFor();
    }
    await view(page, 'Decisions');
    for (const action of ['restart-child', 'end-child']) await page.getByText(action).first().waitFor();
  });
});
