import { McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { RootwardError } from '@rootward/core';
import * as z from 'zod';
import { expect, test } from 'vitest';
import { withWorkspace, withWorkspaceTool } from '../../src/index.js';
import { answering, answeringWith, connectInProcess, ScriptedClient } from '../../src/testing/index.js';
import { BARE, connect, ERAS, reader, text, textOf } from '../fixtures/in-process-server.js';
import { makeFolders } from '../../../../testing/temporary-folders.js';

const roots = makeFolders('a', 'b');
const A = [{ uri: roots.uri('a') }];

test.each(ERAS)('withWorkspace() gives a %s handler the client roots', async (era) => {
  const client = connect(reader, { era, roots: answering(A) });
  await client.connect();
  expect(textOf(await client.callTool('read', { path: 'name.txt' }))).toBe('a');
  expect(textOf(await client.callTool('roots'))).toBe(JSON.stringify([roots.path('a')]));
  expect(client.asked).toHaveLength(era === 'legacy' ? 1 : 2);
  await client.close();
});

test('withWorkspace() asks a modern client only when a handler needs roots', async () => {
  const client = connect(reader, { era: 'modern', roots: answering(A) });
  await client.callTool('nothing');
  expect(client.asked).toHaveLength(0);
  await client.close();
});

test.each(ERAS)('withWorkspace() never asks a %s client that does not declare roots', async (era) => {
  const client = connect(reader, { era, roots: answering(A), declareRoots: false });
  await client.connect();
  expect(textOf(await client.callTool('roots'))).toBe('[]');
  expect(client.asked).toHaveLength(0);
  await client.close();
});

test.each(ERAS)('%s prompts, resources and templates get the workspace', async (era) => {
  const client = connect(
    (server) => {
      server.registerPrompt('p', { argsSchema: z.object({ file: z.string() }) }, async ({ file }, ctx) => {
        const { text: content } = await (await ctx.workspace.scope()).readText(file);
        return { messages: [{ role: 'user', content: { type: 'text', text: content } }] };
      });
      server.registerResource('r', 'workspace://name', {}, async (uri, ctx) => ({
        contents: [{ uri: uri.href, text: (await ctx.workspace.directory()) ?? '' }],
      }));
      const template = new ResourceTemplate('workspace://file/{name}', { list: undefined });
      server.registerResource('t', template, {}, async (uri, { name }, ctx) => {
        const { text: content } = await (await ctx.workspace.scope()).readText(String(name));
        return { contents: [{ uri: uri.href, text: content }] };
      });
    },
    { era, roots: answering(A) },
  );
  await client.connect();
  expect(await client.call('prompts/get', { name: 'p', arguments: { file: 'name.txt' } })).toMatchObject({
    messages: [{ content: { text: 'a' } }],
  });
  expect(await client.call('resources/read', { uri: 'workspace://name' })).toMatchObject({
    contents: [{ text: roots.path('a') }],
  });
  expect(await client.call('resources/read', { uri: 'workspace://file/name.txt' })).toMatchObject({
    contents: [{ text: 'a' }],
  });
  await client.close();
});

test('withWorkspaceTool() serves one tool and leaves the others alone', async () => {
  const connection = connectInProcess();
  serveStdio(
    () => {
      const server = new McpServer({ name: 's', version: '1.0.0' });
      const inputSchema = z.object({ path: z.string() });
      server.registerTool(
        'read',
        { inputSchema },
        withWorkspaceTool(
          server,
          async ({ path }, ctx) => text((await (await ctx.workspace.scope()).readText(path)).text),
          BARE,
        ),
      );
      server.registerTool('plain', {}, (ctx) => text(String('workspace' in ctx)));
      return server;
    },
    { transport: connection.transport },
  );
  const client = new ScriptedClient(connection, { roots: answering(A) });
  await client.connect();
  expect(textOf(await client.callTool('read', { path: 'name.txt' }))).toBe('a');
  expect(textOf(await client.callTool('plain'))).toBe('false');
  await client.close();
});

test('a handler replaced by update() gets the workspace, too', async () => {
  const client = connect(
    (server) => {
      const tool = server.registerTool('t', {}, () => text('before'));
      tool.update({
        callback: (async (ctx: { workspace: { roots(): Promise<unknown[]> } }) =>
          text((await ctx.workspace.roots()).length)) as never,
      });
    },
    { roots: answering(A) },
  );
  await client.connect();
  expect(textOf(await client.callTool('t'))).toBe('1');
  await client.close();
});

test('withWorkspace() leaves an author’s own listeners in place', async () => {
  const heard: string[] = [];
  const client = connect(
    (server) => {
      server.server.oninitialized = () => void heard.push('initialized');
      server.server.setNotificationHandler(
        'notifications/roots/list_changed',
        () => void heard.push('changed'),
      );
      reader(server);
    },
    { roots: answering(A) },
  );
  await client.connect();
  await client.whenAsked(1);
  client.changeRoots(answering([{ uri: roots.uri('b') }]));
  await client.whenAsked(2);
  expect(textOf(await client.callTool('roots'))).toBe(JSON.stringify([roots.path('b')]));
  expect(heard).toEqual(['initialized', 'changed']);
  await client.close();
});

test('withWorkspace() hears of a client whose messages an author listens to, or no longer does', async () => {
  const heard: string[] = [];
  const client = connect(
    (server) => {
      server.server.setNotificationHandler('notifications/initialized', () => void heard.push('initialized'));
      server.server.setNotificationHandler(
        'notifications/roots/list_changed',
        () => void heard.push('changed'),
      );
      server.server.removeNotificationHandler('notifications/roots/list_changed');
      reader(server);
    },
    { roots: answering(A) },
  );
  await client.connect();
  expect(textOf(await client.callTool('roots'))).toBe(JSON.stringify([roots.path('a')]));
  client.changeRoots(answering([{ uri: roots.uri('b') }]));
  expect(textOf(await client.callTool('roots'))).toBe(JSON.stringify([roots.path('b')]));
  expect(heard).toEqual(['initialized']);
  await client.close();
});

test('withWorkspace() keeps the roots of a connection when a second one is refused', async () => {
  const connection = connectInProcess();
  const server = withWorkspace(new McpServer({ name: 's', version: '1.0.0' }), BARE);
  reader(server);
  await server.connect(connection.transport);
  const client = new ScriptedClient(connection, { roots: answering(A) });
  await client.connect();
  await expect(server.connect(connectInProcess().transport)).rejects.toThrow('already connected');
  expect(textOf(await client.callTool('roots'))).toBe(JSON.stringify([roots.path('a')]));
  await client.close();
});

test('withWorkspace() answers and hears a client that writes null for metadata', async () => {
  const client = connect(reader, { roots: answeringWith({ roots: A, _meta: null }) });
  await client.connect();
  expect(textOf(await client.callTool('roots'))).toBe(JSON.stringify([roots.path('a')]));
  await expect(client.request('ping', { _meta: null })).rejects.toThrow('_meta is not an object');
  await client.close();
});

test('withWorkspace() disposes of the workspace when the connection ends', async () => {
  let live: { ready(): Promise<unknown> } | undefined;
  const client = connect(
    reader,
    { roots: answering(A) },
    { ...BARE, onWorkspace: (workspace) => (live = workspace) },
  );
  await client.connect();
  await client.callTool('roots');
  await client.close();
  await expect(live!.ready()).rejects.toBeInstanceOf(RootwardError);
});

test('withWorkspace() notes once, for those who debug, that roots are deprecated', async () => {
  const lines: string[] = [];
  const log = {
    debug: (line: string) => void lines.push(`debug ${line}`),
    info: (line: string) => void lines.push(`info ${line}`),
    warn: (line: string) => void lines.push(`warn ${line}`),
  };
  const client = connect(reader, { era: 'modern', roots: answering(A) }, { ...BARE, log });
  await client.callTool('roots');
  await client.callTool('roots');
  await client.close();
  expect(lines.filter((line) => line.includes('deprecates'))).toEqual([
    'debug roots negotiated on 2026-07-28, which deprecates them; they still work',
  ]);
  expect(lines.filter((line) => !line.startsWith('debug '))).toEqual([]);
});

test('the request metadata of a call names a directory where the client gives none', async () => {
  for (const era of ERAS) {
    const client = connect(reader, { era });
    await client.connect();
    const meta = { 'codex/sandbox-state-meta': { sandboxCwd: roots.uri('b') } };
    expect(textOf(await client.callTool('roots', {}, { meta }))).toBe(JSON.stringify([roots.path('b')]));
    expect(textOf(await client.callTool('roots'))).toBe('[]');
    await client.close();
  }
});

test('withWorkspace() advertises that it reads the directory of a sandbox', async () => {
  const client = connect(reader, {});
  expect(await client.connect()).toMatchObject({
    capabilities: { experimental: { 'codex/sandbox-state-meta': {} } },
  });
  await client.close();
});
