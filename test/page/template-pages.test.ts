import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FrameLocator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makePage } from '../../packages/server/dist/exec/project/templates/make-page.js';
import { browserPath, seriousFindings, useBrowser } from './fixtures/browser.js';

/** A client that shows a page in a frame without an origin, as clients do, and writes down what the page says. */
const CLIENT = `<!doctype html><html lang="en"><title>Client</title><h1>Client</h1><script>
globalThis.said = [];
addEventListener('message', ({ data }) => {
  said.push(data);
  if (data.id !== undefined) frames[0].postMessage({ jsonrpc: '2.0', id: data.id, result: {} }, '*');
});
globalThis.show = (html) => {
  document.querySelector('iframe')?.remove();
  const frame = Object.assign(document.createElement('iframe'), { title: 'page', srcdoc: html });
  frame.setAttribute('sandbox', 'allow-scripts allow-forms');
  document.body.append(frame);
};
globalThis.tell = (method, params) => frames[0].postMessage({ jsonrpc: '2.0', method, params }, '*');
</script>`;
const HOSTILE = '<img src=x onerror="parent.postMessage({bad:1},\'*\')">';

describe.skipIf(browserPath === undefined)('Pages made of templates, in Chromium', () => {
  const use = useBrowser();
  const web = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(CLIENT);
  });
  let page: Page;
  beforeAll(async () => {
    await new Promise<void>((resolve) => void web.listen(0, '127.0.0.1', resolve));
  });
  beforeEach(async () => {
    page = await use().open(new URL(`http://127.0.0.1:${(web.address() as AddressInfo).port}/`));
  });
  afterAll(() => web.close());

  /** Shows the page, and what a tool answered. */
  async function show(template: string, config: object, answer: unknown): Promise<FrameLocator> {
    const made = makePage(template, config);
    if (!('html' in made)) throw new Error(made.problem);
    await page.evaluate(`show(${JSON.stringify(made.html)})`);
    await said('ui/notifications/initialized');
    await page.evaluate((result) => {
      const client = globalThis as unknown as { tell: (method: string, params: unknown) => void };
      client.tell('ui/notifications/tool-result', { structuredContent: { success: true, result } });
    }, answer as object);
    const [, inner] = page.frames();
    expect(inner === undefined ? undefined : await seriousFindings(inner)).toEqual([]);
    return page.frameLocator('iframe');
  }

  /** The parameters of the next message with that method; those before it are forgotten. */
  async function said(method: string): Promise<unknown> {
    const found = await page.waitForFunction((wanted) => {
      const { said: list } = globalThis as unknown as { said: { method?: string; params?: unknown }[] };
      const index = list.findIndex((each) => each.method === wanted);
      return index === -1 ? undefined : { params: list.splice(0, index + 1).at(-1)?.params ?? null };
    }, method);
    return ((await found.jsonValue()) as { params: unknown }).params;
  }

  test('a form calls its tool with what was entered', async () => {
    const fields = [
      { name: 'who', label: HOSTILE, required: true },
      { name: 'age', type: 'number' },
      { name: 'role', type: 'select', options: ['user', 'admin'], default: 'admin' },
      { name: 'active', type: 'checkbox', default: 'true' },
    ];
    const frame = await show('form', { fields, submitTool: 'create', submitArgs: { source: 'ui' } }, null);
    await frame.getByLabel(HOSTILE).fill('Ann');
    await frame.getByLabel('age', { exact: true }).fill('7');
    await frame.getByRole('button', { name: 'Submit' }).click();
    expect(await said('tools/call')).toEqual({
      name: 'create',
      arguments: { source: 'ui', who: 'Ann', age: 7, role: 'admin', active: true },
    });
  });

  test('a table shows and sorts what a tool answers', async () => {
    const columns = [{ key: 'id', label: 'Id', sortable: true }, { key: 'name' }];
    const rows = [
      { id: 10, name: HOSTILE },
      { id: 9, name: 'b' },
    ];
    const frame = await show('data-table', { columns }, rows);
    await frame.getByRole('cell', { name: HOSTILE }).waitFor();
    const ids = frame.locator('tbody td:first-child');
    expect(await ids.allTextContents()).toEqual(['10', '9']);
    await frame.getByRole('button', { name: 'Id' }).click();
    expect(await ids.allTextContents()).toEqual(['9', '10']);
  });

  test('progress, differences, trees and boards show what a tool answers, and call its tools', async () => {
    const progress = await show('progress', { cancelTool: 'stop' }, { progress: 40, message: HOSTILE });
    await progress.getByText('40%').waitFor();
    await progress.getByText(HOSTILE).waitFor();
    await progress.getByRole('button', { name: 'Cancel' }).dblclick();
    expect(await said('tools/call')).toEqual({ name: 'stop', arguments: {} });

    const difference = await show('diff-viewer', {}, { left: 'a\nb\nc', right: 'a\nc\nd' });
    await difference.locator('.added', { hasText: 'd' }).waitFor();
    expect(await difference.locator('.removed').allTextContents()).toEqual(['   2  b']);

    const tree = [{ id: 'src', icon: 'folder', children: [{ id: 'a.ts', label: 'a.ts', meta: '2 KB' }] }];
    const view = await show('tree-view', { selectable: true, onSelectTool: 'open' }, tree);
    await view.getByRole('button', { name: 'a.ts' }).click();
    expect(await said('tools/call')).toEqual({ name: 'open', arguments: { id: 'a.ts', label: 'a.ts' } });

    const board = await show('kanban', { onMoveTool: 'move' }, [{ id: 't', title: 'Task', status: 'todo' }]);
    await board.getByLabel('Column of Task').selectOption('Done');
    expect(await said('tools/call')).toEqual({
      name: 'move',
      arguments: { id: 't', from: 'todo', to: 'done', column: 'done' },
    });
    await board.locator('section').nth(2).locator('strong', { hasText: 'Task' }).waitFor();
  });
});
