import { McpServer, inputRequired, ResourceTemplate, acceptedContent } from '@modelcontextprotocol/server';
import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { RootwardError } from '@rootward/core';
import * as z from 'zod';
import { expect, test } from 'vitest';
import { withWorkspace, withWorkspaceTool } from '../../src/index.js';
import type { WorkspaceOptions, WorkspaceServer } from '../../src/index.js';
import {
  answering,
  answeringWith,
  connectInProcess,
  refusing,
  ScriptedClient,
  silent,
} from '../../src/testing/index.js';
import type { Result, ScriptedClientOptions } from '../../src/testing/index.js';
import { makeRoots } from '../fixtures/temp-roots.js';

const roots = makeRoots('a', 'b', 'operator');
const A = [{ uri: roots.uri('a') }];
const ERAS = ['legacy', 'modern'] as const;

/** Nothing of the machine these tests run on may look like a root. */
const BARE: WorkspaceOptions = { environment: {}, home: '/nonexistent' };

function connect(
  build: (server: WorkspaceServer) => void,
  client: ScriptedClientOptions,
  options: WorkspaceOptions = BARE,
): ScriptedClient {
  const connection = connectInProcess();
  serveStdio(
    () => {
      const server = withWorkspace(new McpServer({ name: 's', version: '1.0.0' }), options);
      build(server);
      return server;
    },
    { transport: connection.transport },
  );
  return new ScriptedClient(connection, client);
}

const text = (value: unknown): CallToolResult => ({
  content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }],
});
const textOf = (result: Result): string => (result['content'] as { text: string }[])[0]!.text;

function reader(server: WorkspaceServer): void {
  server.registerTool('read', { inputSchema: z.object({ path: z.string() }) }, async ({ path }, ctx) => {
    const scope = await ctx.workspace.scope();
    return text((await scope.readText(path)).text);
  });
  server.registerTool('roots', {}, async (ctx) =>
    text((await ctx.workspace.roots()).map((root) => root.path)),
  );
  server.registerTool('nothing', {}, () => text('nothing'));
}

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

test.each(ERAS)('a refused path becomes a %s tool result a model can act on', async (era) => {
  const client = connect(reader, { era, roots: answering(A) });
  await client.connect();
  const result = await client.callTool('read', { path: roots.path('b') });
  const report = { error_type: 'outside_roots', instruction: expect.stringMatching(/./) };
  expect(result).toMatchObject({
    isError: true,
    structuredContent: report,
    _meta: { 'rootward/error': report },
  });
  expect(textOf(result)).toContain(roots.path('b'));
  await client.close();
});

test.each(ERAS)('project() without any directory tells a %s model what to do', async (era) => {
  const client = connect(
    (server) => server.registerTool('project', {}, async (ctx) => text(await ctx.workspace.project())),
    { era },
  );
  await client.connect();
  expect(await client.callTool('project')).toMatchObject({
    isError: true,
    structuredContent: {
      error_type: 'no_project',
      message:
        'Project context not available. Call switch_project with the basename of the current working directory.',
      instruction: 'Call switch_project with your project name',
    },
  });
  await client.close();
});

test('a tool with an output schema reports errors without structured content, which clients would check', async () => {
  const client = connect(
    (server) =>
      server.registerTool('project', { outputSchema: z.object({ name: z.string() }) }, async (ctx) => {
        const { name } = await ctx.workspace.project();
        return { ...text(name), structuredContent: { name } };
      }),
    {},
  );
  await client.connect();
  const result = await client.callTool('project');
  expect(result).toMatchObject({ isError: true, _meta: { 'rootward/error': { error_type: 'no_project' } } });
  expect(result).not.toHaveProperty('structuredContent');
  await client.close();
});

test.each(ERAS)('errors of the workspace are JSON-RPC errors in %s prompts and resources', async (era) => {
  const client = connect(
    (server) => {
      server.registerPrompt('p', {}, async (ctx) => {
        await ctx.workspace.project();
        return { messages: [] };
      });
      server.registerResource('r', 'workspace://name', {}, async (_uri, ctx) => {
        await (await ctx.workspace.scope()).readText('name.txt');
        return { contents: [] };
      });
    },
    { era },
  );
  await client.connect();
  await expect(client.call('prompts/get', { name: 'p' })).rejects.toMatchObject({
    code: -32_602,
    data: { error_type: 'no_project', instruction: 'Call switch_project with your project name' },
  });
  await expect(client.call('resources/read', { uri: 'workspace://name' })).rejects.toMatchObject({
    code: -32_602,
    data: { error_type: 'no_roots' },
  });
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

test.each([
  ['is missing', refusing()],
  ['is nonsense', answeringWith('nonsense')],
  ['is a list of nonsense', answeringWith({ roots: [1, null] })],
  ['is not a list', answeringWith({ roots: {} })],
  ['is of another kind', answeringWith({ action: 'accept' })],
])('a modern retry whose answer %s is not asked again', async (_, script) => {
  const client = connect(
    reader,
    { era: 'modern', roots: script },
    { ...BARE, roots: [roots.path('operator')] },
  );
  expect(textOf(await client.callTool('roots'))).toBe(JSON.stringify([roots.path('operator')]));
  expect(client.asked).toHaveLength(1);
  await client.close();
});

test('a modern retry that answers under another key is not asked again', async () => {
  const client = connect(reader, { era: 'modern', roots: silent });
  const inputResponses = { other: { roots: A } };
  const result = await client.request('tools/call', { name: 'roots', inputResponses });
  expect(textOf(result)).toBe('[]');
  await client.close();
});

test('a modern answer of [] leaves operator roots, never hints', async () => {
  const environment = { CLAUDE_PROJECT_DIR: roots.path('b') };
  const client = connect(reader, { era: 'modern', roots: answering([]) }, { ...BARE, environment });
  expect(textOf(await client.callTool('roots'))).toBe('[]');
  await client.close();
  const undeclared = connect(reader, { era: 'modern' }, { ...BARE, environment });
  expect(textOf(await undeclared.callTool('roots'))).toBe(JSON.stringify([roots.path('b')]));
  await undeclared.close();
});

test('a handler that catches everything cannot swallow the question for roots', async () => {
  const client = connect(
    (server) =>
      server.registerTool('careful', {}, async (ctx) => {
        try {
          return text((await ctx.workspace.roots()).length);
        } catch {
          return text('caught');
        }
      }),
    { era: 'modern', roots: answering(A) },
  );
  expect(textOf(await client.callTool('careful'))).toBe('1');
  await client.close();
});

test('a handler that fails while its question is open does not end the process', async () => {
  const client = connect(
    (server) =>
      server.registerTool('hasty', {}, async (ctx) => {
        void ctx.workspace.project();
        const asking = ctx.workspace.scope();
        await Promise.reject(new Error('something else went wrong'));
        return text((await asking).guarantee('readText'));
      }),
    { era: 'modern', roots: answering([]) },
  );
  const unhandled: unknown[] = [];
  const listen = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', listen);
  expect(textOf(await client.callTool('hasty'))).toBe('something else went wrong');
  await client.close();
  process.off('unhandledRejection', listen);
  expect(unhandled).toEqual([]);
});

test.each([
  ['roots first', true],
  ['its own question first', false],
])('a modern handler may ask for input of its own, %s', async (_, rootsFirst) => {
  const confirm = z.object({ ok: z.boolean() });
  const connection = connectInProcess();
  serveStdio(
    () => {
      const server = withWorkspace(new McpServer({ name: 's', version: '1.0.0' }), BARE);
      server.registerTool('both', {}, async (ctx): Promise<CallToolResult | InputRequiredResult> => {
        if (rootsFirst) await ctx.workspace.roots();
        const answer = acceptedContent(ctx.mcpReq.inputResponses, 'confirm', confirm);
        if (answer === undefined) {
          const question = inputRequired.elicit({ message: 'Sure?', requestedSchema: confirm });
          return inputRequired({ inputRequests: { confirm: question } });
        }
        return text({ ok: answer.ok, roots: (await ctx.workspace.roots()).length });
      });
      return server;
    },
    { transport: connection.transport },
  );
  const client = new ScriptedClient(connection, {
    era: 'modern',
    declareRoots: true,
    capabilities: { elicitation: {} },
  });
  const answers: Record<string, unknown> = {
    roots: { roots: A },
    confirm: { action: 'accept', content: { ok: true } },
  };
  const rounds: string[][] = [];
  let result = await client.request('tools/call', { name: 'both' });
  while (result['resultType'] === 'input_required') {
    const keys = Object.keys(result['inputRequests'] as object);
    rounds.push(keys);
    const inputResponses = Object.fromEntries(keys.map((key) => [key, answers[key]]));
    result = await client.request('tools/call', { name: 'both', inputResponses });
  }
  expect(textOf(result)).toBe('{"ok":true,"roots":1}');
  // Where its own question comes first, its answer is gone by the time roots are there, and is asked for again.
  expect(rounds).toEqual(
    rootsFirst ? [['roots'], ['confirm', 'roots']] : [['confirm'], ['roots'], ['confirm', 'roots']],
  );
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

test('nothing is kept between modern requests: two clients share one connection', async () => {
  const connection = connectInProcess();
  serveStdio(
    () => {
      const server = withWorkspace(new McpServer({ name: 's', version: '1.0.0' }), BARE);
      reader(server);
      return server;
    },
    { transport: connection.transport },
  );
  const client = new ScriptedClient(connection, { era: 'modern', roots: silent });
  const ask = (name: 'a' | 'b') =>
    client.request('tools/call', {
      name: 'roots',
      inputResponses: { roots: { roots: [{ uri: roots.uri(name) }] } },
    });
  const seen = await Promise.all(
    Array.from({ length: 40 }, async (_, i) => textOf(await ask(i % 2 === 0 ? 'a' : 'b'))),
  );
  expect(seen).toEqual(seen.map((_, i) => JSON.stringify([roots.path(i % 2 === 0 ? 'a' : 'b')])));
  expect(await client.request('tools/call', { name: 'roots' })).toMatchObject({
    resultType: 'input_required',
  });
  await client.close();
});
