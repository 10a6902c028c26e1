import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { describe, expect, test } from 'vitest';
import { createWorkspaceHandler, withWorkspace, type WorkspaceOptions } from '../../src/index.js';
import {
  answering,
  answeringWith,
  connectInProcess,
  refusing,
  ScriptedClient,
  silent,
} from '../../src/testing/index.js';
import type { RootsScript } from '../../src/testing/index.js';
import { RawHttpClient } from '../fixtures/raw-http-client.js';
import { makeFolders } from '../../../../testing/temporary-folders.js';

const roots = makeFolders('a', 'b', 'operator', 'hint');
for (const name of ['a', 'b', 'operator', 'hint'] as const)
  writeFileSync(join(roots.path(name), 'x.txt'), name);

function createServer(options: WorkspaceOptions): McpServer {
  const server = withWorkspace(new McpServer({ name: 's', version: '1.0.0' }), {
    environment: { CLAUDE_PROJECT_DIR: roots.path('hint') },
    home: '/nonexistent',
    within: [roots.top],
    limits: { readyTimeout: 30, answerTimeout: 60 },
    ...options,
  });
  server.registerTool('roots', { inputSchema: z.object({}) }, async (_args, ctx) => ({
    content: [],
    structuredContent: { roots: (await ctx.workspace.roots()).map(({ path }) => path) },
  }));
  return server;
}

const structured = (result: unknown): unknown =>
  ((result as Record<string, unknown>)['structuredContent'] as { roots: string[] }).roots;

const HTTP_LOST: readonly (readonly [string, () => { uri: string }[] | undefined])[] = [
  ['is silent', () => undefined],
  ['names only places outside the ceiling', () => [{ uri: 'file:///usr' }]],
];

test.each(HTTP_LOST)(
  'over HTTP, a legacy client that declares roots and %s gets no root of the ceiling',
  async (_, answer) => {
    const handler = createWorkspaceHandler(() => createServer({}));
    const client = new RawHttpClient(handler.fetch, { roots: answer, declares: true });
    await client.connect();
    expect(await client.callTool('roots')).toEqual({ roots: [] });
    await handler.close();
  },
);

test('a client that does not declare roots gets a hint, else the ceiling', async () => {
  for (const [hints, path] of [
    [true, roots.path('hint')],
    [false, roots.top],
  ] as const) {
    const handler = createWorkspaceHandler(() => createServer({ hints }));
    const client = new RawHttpClient(handler.fetch, { declares: false });
    await client.connect();
    expect(await client.callTool('roots')).toEqual({ roots: [path] });
    await handler.close();
  }
});

const LOST: readonly (readonly [string, RootsScript])[] = [
  ['is silent', silent],
  ['refuses', refusing(-32_603, 'no')],
  ['answers nonsense', answeringWith({ roots: 'nonsense' })],
  ['names only places outside the ceiling', answering([{ uri: 'file:///usr' }])],
];

describe.each(['legacy', 'modern'] as const)('over stdio, a %s client that declares roots and', (era) => {
  // A modern client that never repeats the call has none to be served.
  const lost = LOST.filter(([, script]) => era === 'legacy' || script !== silent);

  test.each(lost)('%s gets no root of the ceiling, nor a hint', async (_, script) => {
    const connection = connectInProcess();
    serveStdio(() => createServer({}), { transport: connection.transport });
    const client = new ScriptedClient(connection, { era, roots: script });
    await client.connect();
    expect(structured(await client.callTool('roots'))).toEqual([]);
    await client.close();
  });

  test.each(lost)('%s leaves the operator’s roots', async (_, script) => {
    const connection = connectInProcess();
    serveStdio(() => createServer({ roots: [roots.path('operator')] }), { transport: connection.transport });
    const client = new ScriptedClient(connection, { era, roots: script });
    await client.connect();
    expect(structured(await client.callTool('roots'))).toEqual([roots.path('operator')]);
    await client.close();
  });
});
