import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { withWorkspace } from '@rootward/mcp';
import { connectInProcess, ScriptedClient } from '@rootward/mcp/testing';
import { afterAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { KNOWN_CLIENTS } from '../../packages/server/dist/cli/install/clients/known-clients.js';
import { renderEntry } from '../../packages/server/dist/cli/install/render-entry.js';
import { checkRules } from '../../packages/server/dist/settings/workspace-rules.js';
import { blocksIn, repository } from './pages.js';
import { connectRootward } from '../server/fixtures/rootward.js';

type Json = Readonly<Record<string, unknown>>;

interface Example {
  readonly page: string;
  readonly line: number;
  readonly value: Json;
}

/** Members by which a client finds its servers. */
const SERVERS = ['mcpServers', 'servers', 'context_servers', 'mcp'];
const RULES: ReadonlySet<string> = new Set(['deny', 'readOnly', 'categories']);

/** What a block is an example of; the first that fits. */
const KINDS: Readonly<Record<string, (value: Json) => boolean>> = {
  client: (value) => SERVERS.some((key) => key in value),
  result: (value) => 'error_type' in value || 'isError' in value,
  audit: (value) => 'decision' in value,
  rules: (value) => 'categories' in value && Object.keys(value).every((key) => RULES.has(key)),
  configuration: () => true,
};

const EXAMPLES: readonly (Example & { readonly kind: string })[] = blocksIn('json').map((block) => {
  const value = JSON.parse(block.code) as Json;
  const kind = Object.entries(KINDS).find(([, fits]) => fits(value))?.[0] ?? '';
  return { page: block.page, line: block.line, value, kind };
});

function examplesOf(kind: string): readonly Example[] {
  return EXAMPLES.filter((example) => example.kind === kind);
}

/** The one example of a kind that has a member. */
function exampleWith(kind: string, member: string): Json {
  const found = examplesOf(kind).filter(({ value }) => member in value);
  expect(found).toHaveLength(1);
  return found[0]?.value ?? {};
}

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function makeFolder(): { readonly top: string; readonly app: string } {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-docs-json-')));
  folders.push(top);
  mkdirSync(join(top, 'app'));
  return { top, app: join(top, 'app') };
}

describe('The JSON that the documentation shows', () => {
  test('is there, of every kind', () => {
    expect(Object.keys(KINDS).filter((kind) => examplesOf(kind).length === 0)).toEqual([]);
  });

  const schema = readFileSync(join(repository, 'packages/server/schema/rootward.schema.json'), 'utf8');
  const configuration = z.fromJSONSchema(JSON.parse(schema) as z.core.JSONSchema.JSONSchema);

  test.each(examplesOf('configuration'))('fits the published schema: $page line $line', ({ value }) => {
    expect(configuration.safeParse({ ...value, surprise: 1 }).success).toBe(false);
    expect(configuration.safeParse(value)).toMatchObject({ success: true });
  });

  test.each(examplesOf('rules'))('is accepted inside a root: $page line $line', ({ value }) => {
    expect(checkRules({ ...value, roots: ['/'] })).toHaveProperty('problem');
    expect(checkRules(value)).toEqual(value);
  });

  test.each(examplesOf('client'))('is what a client is told to take: $page line $line', async ({ value }) => {
    const key = SERVERS.find((name) => name in value) ?? '';
    const [entry] = Object.values(value[key] as Record<string, Json>);
    const words = [entry?.['command'], entry?.['args'] ?? []].flat(2) as string[];
    expect(words.slice(0, 3)).toEqual(['npx', '-y', 'rootward']);
    const [command = '', ...args] = words;
    const server = { kind: 'stdio', name: 'rootward', command, args } as const;
    const rendered = await Promise.all(
      KNOWN_CLIENTS.map((client) => renderEntry(client, server, 'rootward')),
    );
    const printed = rendered
      .map(({ text }) => text)
      .filter((text) => text.startsWith('{'))
      .map((text) => JSON.parse(text) as Json);
    // A name of one's own may stand in the place of ours.
    expect(printed).toContainEqual({ ...value, [key]: { rootward: entry } });
  });
});

describe.runIf(process.platform !== 'win32')('What the documentation shows of answers is what comes', () => {
  test('without a project', async () => {
    const shown = exampleWith('result', 'success');
    const { client } = await connectRootward([], {}, { env: { PWD: '/' } });
    const { structuredContent } = await client.callTool('category_list');
    expect(structuredContent).toMatchObject(shown);
    await client.close();
  });

  test('of a server without roots', async () => {
    const guide = readFileSync(join(repository, 'docs', 'troubleshooting.md'), 'utf8');
    const [, shown = ''] = /^```\n(No roots:.*?)^```$/ms.exec(guide) ?? [];
    const clientInfo = { name: 'x', version: '1' };
    const { client } = await connectRootward([], { clientInfo }, { cwd: '/' });
    const { content } = await client.callTool('workspace_info');
    expect(content).toMatchObject([{ text: expect.stringContaining(shown) as unknown }]);
    expect(shown.split('\n').length).toBeGreaterThan(2);
    await client.close();
  });

  test('of an error that leaves a handler', async () => {
    const shown = JSON.stringify(exampleWith('result', 'isError'));
    const { app } = makeFolder();
    const connection = connectInProcess();
    const factory = (): McpServer => {
      const server = withWorkspace(new McpServer({ name: 'docs', version: '1.0.0' }), { roots: [app] });
      server.registerTool('read', {}, async (ctx) => {
        const { text } = await (await ctx.workspace.scope()).readText('/etc/passwd');
        return { content: [{ type: 'text', text }] };
      });
      return server;
    };
    serveStdio(factory, { transport: connection.transport });
    const client = new ScriptedClient(connection);
    await client.connect();
    const expected = JSON.parse(shown.replaceAll('/home/me/app', app)) as Json;
    expect(await client.callTool('read')).toMatchObject(expected);
    await client.close();
  });

  test('in the audit file', async () => {
    const shown = exampleWith('audit', 'decision');
    const { top, app } = makeFolder();
    const file = join(top, 'audit.jsonl');
    const { server, client } = await connectRootward([app, '--audit', file]);
    await client.callTool(String(shown['tool']), { path: shown['path'] });
    server.output.end();
    await server.exit;
    const line = JSON.parse(readFileSync(file, 'utf8')) as Json;
    const { time, session } = line;
    expect(line).toEqual({ ...shown, time, session });
    expect([String(time).length, String(session).length]).toEqual(
      [shown['time'], shown['session']].map((text) => String(text).length),
    );
  });
});
