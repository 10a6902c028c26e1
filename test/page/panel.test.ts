import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { answering, type ScriptedClient } from '@rootward/mcp/testing';
import { describe, expect, test } from 'vitest';
import { connectRootward } from '../server/fixtures/rootward.js';
import { makeFolder } from '../wrap/fixtures/wrapped.js';
import { browserPath, seriousFindings, useBrowser } from './fixtures/browser.js';

const PANEL = 'ui://rootward/workspace';
const SHOWS_PANELS = {
  extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
};
const HOSTILE = '<img src=x onerror="document.title=1">';

interface Listed {
  readonly name: string;
  readonly _meta?: unknown;
}

async function connect(
  era: 'legacy' | 'modern',
  folder: string,
  capabilities: Readonly<Record<string, unknown>>,
): Promise<ScriptedClient> {
  const roots = answering([{ uri: pathToFileURL(folder).href }]);
  return (await connectRootward([], { era, roots, capabilities })).client;
}

async function infoTool(client: ScriptedClient): Promise<Listed | undefined> {
  const { tools } = await client.request('tools/list');
  return (tools as Listed[]).find(({ name }) => name === 'workspace_info');
}

async function readPanel(client: ScriptedClient): Promise<string> {
  const { contents } = await client.request('resources/read', { uri: PANEL });
  const [content] = contents as { mimeType: string; text: string }[];
  expect(content?.mimeType).toBe('text/html;profile=mcp-app');
  return content?.text ?? '';
}

describe.each(['legacy', 'modern'] as const)('The panel of workspace_info, %s', (era) => {
  test('is for clients that show panels, and for nobody else', async () => {
    const folder = makeFolder('shop');
    const shows = await connect(era, folder, SHOWS_PANELS);
    expect(await infoTool(shows)).toMatchObject({ _meta: { ui: { resourceUri: PANEL } } });
    const html = await readPanel(shows);
    expect(html).toContain("default-src 'none'");
    expect(html).not.toMatch(/\s(?:on\w+|style|src|href)=/i);
    expect(gzipSync(html).length).toBeLessThan(80 * 1024);

    const other = await connect(era, folder, {});
    expect((await infoTool(other))?.['_meta']).toBeUndefined();
    await expect(other.request('resources/read', { uri: PANEL })).rejects.toThrow('not found');
    const { resources } = await other.request('resources/list');
    expect(JSON.stringify(resources)).not.toContain('ui://');
  });
});

describe.skipIf(browserPath === undefined)('The panel in Chromium', () => {
  const use = useBrowser();

  /** A host as the specification has it: the panel in a sandbox without an origin, JSON-RPC over messages. */
  test('shows the roots and why, and asks about paths through the host', async () => {
    const folder = makeFolder(HOSTILE.replaceAll('/', ''));
    const client = await connect('legacy', folder, SHOWS_PANELS);
    const html = await readPanel(client);
    const page = await use().newPage({ colorScheme: 'light' });
    await page.exposeFunction('callTool', (name: string, args: Record<string, unknown>) =>
      client.callTool(name, args),
    );
    await page.setContent('<title>Host</title><iframe title="panel" sandbox="allow-scripts"></iframe>');
    const result = await client.callTool('workspace_info', {});
    await page.evaluate(`(${HOST})(${JSON.stringify({ html, result })})`);
    const panel = page.frameLocator('iframe');
    await panel.getByText(folder, { exact: true }).waitFor();
    await panel.getByText('from client').waitFor();
    expect(await panel.locator('html').getAttribute('data-theme')).toBe('dark');
    await panel.getByText('Why').click();
    await panel.locator('.ladder .used strong', { hasText: 'client' }).waitFor();
    await panel.getByRole('textbox').fill('/etc/passwd');
    await panel.getByRole('button', { name: 'May it be touched?' }).click();
    await panel.getByText('it is outside the roots').waitFor();
    writeFileSync(join(folder, 'a.txt'), 'x');
    await panel.getByRole('textbox').fill(join(folder, 'a.txt'));
    await panel.getByRole('button', { name: 'May it be touched?' }).click();
    await panel.getByText('It may be changed').waitFor();
    expect(await panel.locator('img, iframe').count()).toBe(0);
    expect(await page.title()).toBe('Host');
    expect(await page.evaluate<string[]>('window.heard')).toContain('ui/notifications/size-changed');
    const frame = page.frames().at(-1);
    expect(frame === undefined ? ['no frame'] : await seriousFindings(frame)).toEqual([]);
  });
});

/** Runs in the page of the host. */
const HOST = `({ html, result }) => {
  const frame = document.querySelector('iframe');
  const send = (message) => frame.contentWindow.postMessage({ jsonrpc: '2.0', ...message }, '*');
  window.heard = [];
  window.addEventListener('message', async ({ data: { id, method, params } }) => {
    window.heard.push(method);
    if (method === 'ui/initialize') {
      send({ id, result: {
        protocolVersion: '2026-01-26',
        hostInfo: { name: 'a host', version: '1' },
        hostCapabilities: { serverTools: {} },
        hostContext: { theme: 'dark' },
      } });
    } else if (method === 'ui/notifications/initialized') {
      send({ method: 'ui/notifications/tool-input', params: { arguments: {} } });
      send({ method: 'ui/notifications/tool-result', params: result });
    } else if (method === 'tools/call') {
      send({ id, result: await window.callTool(params.name, params.arguments) });
    }
  });
  frame.srcdoc = html;
}`;
