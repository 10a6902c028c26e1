import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import {
  InitializedNotificationSchema,
  ListRootsRequestSchema,
  RootsListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';
import { expect, test } from 'vitest';
import {
  answering,
  answeringWith,
  connectInProcess,
  refusing,
  ScriptedClient,
  silent,
} from '../../src/testing/index.js';
import type { Result, ScriptedClientOptions } from '../../src/testing/index.js';
import { withWorkspace, withWorkspaceTool, WorkspaceResourceTemplate } from '../../src/sdk-v1/index.js';
import type { WorkspaceExtra, WorkspaceOptions, WorkspaceServer } from '../../src/sdk-v1/index.js';
import { RawHttpClient } from '../fixtures/raw-http-client.js';
import { makeFolders } from '../../../../testing/temporary-folders.js';

/** The lowest version that is tested lacks this transport, and lets a server be connected twice. */
const web = await import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js').catch(
  () => undefined,
);

const roots = makeFolders('a', 'b', 'operator');
const A = [{ uri: roots.uri('a') }];
const BARE: WorkspaceOptions = { environment: {}, home: '/nonexistent' };
const INFO = { name: 's', version: '1.0.0' };

const text = (value: unknown): CallToolResult => ({
  content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }],
});
const textOf = (result: Result): string => (result['content'] as { text: string }[])[0]!.text;

const message = (value: string) => ({ messages: [{ content: { text: value } }] });
const content = (value: string) => ({ contents: [{ text: value }] });

async function connect(
  build: (server: WorkspaceServer) => void,
  client: ScriptedClientOptions,
  options: WorkspaceOptions = BARE,
  made: McpServer = new McpServer(INFO),
): Promise<ScriptedClient> {
  const connection = connectInProcess();
  const server = withWorkspace(made, options);
  build(server);
  await server.connect(connection.transport);
  const scripted = new ScriptedClient(connection, client);
  await scripted.connect();
  return scripted;
}

function reader(server: WorkspaceServer): void {
  server.registerTool('read', { inputSchema: { path: z.string() } }, async ({ path }, extra) => {
    const scope = await extra.workspace.scope();
    return text((await scope.readText(path)).text);
  });
  server.registerTool('roots', {}, async (extra) =>
    text((await extra.workspace.snapshot()).roots.map(({ path, source }) => `${source} ${path}`)),
  );
}

test('withWorkspace() of v1 gives a handler the client roots, asked for once', async () => {
  const client = await connect(reader, { roots: answering(A) });
  expect(textOf(await client.callTool('read', { path: 'name.txt' }))).toBe('a');
  expect(textOf(await client.callTool('roots'))).toBe(JSON.stringify([`client ${roots.path('a')}`]));
  expect(client.asked).toHaveLength(1);
  await client.close();
});

test.each([
  ['refuses', refusing(-32_000, 'no'), 'refused', 60_000],
  ['answers with nonsense', answeringWith('nonsense'), 'malformed', 60_000],
  ['answers with null', answeringWith(null), 'malformed', 60_000],
  ['is silent', silent, 'silent', 100],
])(
  'withWorkspace() of v1 goes on with the operator’s roots when the client %s',
  async (_, script, state, readyTimeout) => {
    const client = await connect(
      (server) => {
        server.registerTool('state', {}, async (extra) => {
          const { client: is, roots: all } = await extra.workspace.snapshot();
          return text([is, ...all.map(({ source }) => source)]);
        });
      },
      { roots: script },
      { ...BARE, roots: [roots.path('operator')], limits: { readyTimeout } },
    );
    expect(textOf(await client.callTool('state'))).toBe(JSON.stringify([state, 'flag']));
    await client.close();
  },
);

test('withWorkspace() of v1 sees a change, and so does the author’s own listener', async () => {
  let heard = 0;
  const client = await connect(
    (server) => {
      server.server.setNotificationHandler(RootsListChangedNotificationSchema, () => void heard++);
      reader(server);
    },
    { roots: answering(A) },
  );
  await client.callTool('roots');
  client.changeRoots(answering([{ uri: roots.uri('b') }]));
  expect(textOf(await client.callTool('roots'))).toBe(JSON.stringify([`client ${roots.path('b')}`]));
  expect(heard).toBe(1);
  await client.close();
});

test('withWorkspace() of v1 hears of a client whose messages an author listens to, or no longer does', async () => {
  const heard: string[] = [];
  const client = await connect(
    (server) => {
      server.server.setNotificationHandler(
        InitializedNotificationSchema,
        () => void heard.push('initialized'),
      );
      server.server.setNotificationHandler(
        RootsListChangedNotificationSchema,
        () => void heard.push('changed'),
      );
      server.server.removeNotificationHandler('notifications/roots/list_changed');
      reader(server);
    },
    { roots: answering(A) },
  );
  expect(textOf(await client.callTool('roots'))).toBe(JSON.stringify([`client ${roots.path('a')}`]));
  client.changeRoots(answering([{ uri: roots.uri('b') }]));
  expect(textOf(await client.callTool('roots'))).toBe(JSON.stringify([`client ${roots.path('b')}`]));
  expect(heard).toEqual(['initialized']);
  await client.close();
});

/** What an author gets who calls `require`: classes and schemas that are none of those imported here. */
const require = createRequire(import.meta.url);
const otherServer = require('@modelcontextprotocol/sdk/server/mcp.js') as { McpServer: typeof McpServer };
const otherTypes = require('@modelcontextprotocol/sdk/types.js') as {
  RootsListChangedNotificationSchema: typeof RootsListChangedNotificationSchema;
};

test('withWorkspace() of v1 sees a change that an author of the other build listens to', async () => {
  let heard = 0;
  const client = await connect(
    (server) => {
      server.server.setNotificationHandler(otherTypes.RootsListChangedNotificationSchema, () => void heard++);
      reader(server);
    },
    { roots: answering(A) },
    BARE,
    new otherServer.McpServer(INFO),
  );
  expect(textOf(await client.callTool('roots'))).toBe(JSON.stringify([`client ${roots.path('a')}`]));
  client.changeRoots(answering([{ uri: roots.uri('b') }]));
  expect(textOf(await client.callTool('roots'))).toBe(JSON.stringify([`client ${roots.path('b')}`]));
  expect(heard).toBe(1);
  await client.close();
});

test('withWorkspace() of v1 takes a timeout of the other build for silence', async () => {
  const client = await connect(
    (server) => {
      server.registerTool('state', {}, async ({ workspace }) => text((await workspace.snapshot()).client));
    },
    { roots: silent },
    { ...BARE, limits: { answerTimeout: 50, readyTimeout: 60_000 } },
    new otherServer.McpServer(INFO),
  );
  expect(textOf(await client.callTool('state'))).toBe('silent');
  await client.close();
});

test.runIf(web !== undefined)(
  'withWorkspace() of v1 keeps the roots of a connection when a second one is refused',
  async () => {
    let server: WorkspaceServer | undefined;
    const client = await connect(
      (made) => {
        server = made;
        reader(made);
      },
      { roots: answering(A) },
    );
    await expect(server!.connect(connectInProcess().transport)).rejects.toThrow('Already connected');
    expect(textOf(await client.callTool('roots'))).toBe(JSON.stringify([`client ${roots.path('a')}`]));
    await client.close();
  },
);

test('withWorkspace() of v1 answers and hears a client that writes null for metadata', async () => {
  const client = await connect(reader, { roots: answeringWith({ roots: A, _meta: null }) });
  expect(textOf(await client.callTool('roots'))).toBe(JSON.stringify([`client ${roots.path('a')}`]));
  await expect(client.request('ping', { _meta: null })).rejects.toThrow('_meta is not an object');
  await client.close();
});

async function directory({ workspace }: WorkspaceExtra): Promise<string> {
  return (await workspace.directory()) ?? '';
}

test('withWorkspace() of v1 covers the older registration methods, prompts, resources and templates', async () => {
  const client = await connect(
    (server) => {
      server.tool('old', async (extra) => text(await directory(extra)));
      server.prompt('old', async (extra) => ({
        messages: [{ role: 'user', content: { type: 'text', text: await directory(extra) } }],
      }));
      server.resource('old', 'workspace://old', async (uri, extra) => ({
        contents: [{ uri: uri.href, text: await directory(extra) }],
      }));
      server.registerPrompt('p', { argsSchema: { file: z.string() } }, async ({ file }, extra) => {
        const reading = await (await extra.workspace.scope()).readText(file);
        return { messages: [{ role: 'user', content: { type: 'text', text: reading.text } }] };
      });
      server.registerResource('r', 'workspace://name', {}, async (uri, extra) => ({
        contents: [{ uri: uri.href, text: (await extra.workspace.project()).name }],
      }));
      const template = new ResourceTemplate('workspace://file/{name}', { list: undefined });
      server.registerResource('t', template, {}, async (uri, { name }, extra) => {
        const reading = await (await extra.workspace.scope()).readText(String(name));
        return { contents: [{ uri: uri.href, text: reading.text }] };
      });
    },
    { roots: answering(A) },
  );
  expect(textOf(await client.callTool('old'))).toBe(roots.path('a'));
  expect(await client.call('prompts/get', { name: 'old' })).toMatchObject(message(roots.path('a')));
  expect(await client.call('resources/read', { uri: 'workspace://old' })).toMatchObject(
    content(roots.path('a')),
  );
  expect(await client.call('prompts/get', { name: 'p', arguments: { file: 'name.txt' } })).toMatchObject(
    message('a'),
  );
  expect(await client.call('resources/read', { uri: 'workspace://name' })).toMatchObject(content('a'));
  expect(await client.call('resources/read', { uri: 'workspace://file/name.txt' })).toMatchObject(
    content('a'),
  );
  await client.close();
});

test('errors are tool results a model can act on, and JSON-RPC errors elsewhere', async () => {
  const client = await connect((server) => {
    reader(server);
    server.registerPrompt('p', {}, async (extra) => {
      await extra.workspace.project();
      return { messages: [] };
    });
    server.registerTool('broken', {}, () => {
      throw new Error('an error of the author');
    });
  }, {});
  expect(await client.callTool('read', { path: '/etc/passwd' })).toMatchObject({
    isError: true,
    structuredContent: { error_type: 'no_roots', instruction: expect.stringMatching(/./) },
  });
  await expect(client.call('prompts/get', { name: 'p' })).rejects.toMatchObject({
    code: -32_602,
    data: { error_type: 'no_project' },
  });
  expect(textOf(await client.callTool('broken'))).toBe('an error of the author');
  await client.close();
});

test('withWorkspaceTool() of v1 serves one tool', async () => {
  const connection = connectInProcess();
  const server = new McpServer(INFO);
  const inputSchema = { path: z.string() };
  server.registerTool(
    'read',
    { inputSchema },
    withWorkspaceTool(
      server,
      async ({ path }, extra) => text((await (await extra.workspace.scope()).readText(path)).text),
      BARE,
    ),
  );
  await server.connect(connection.transport);
  const client = new ScriptedClient(connection, { roots: answering(A) });
  await client.connect();
  expect(textOf(await client.callTool('read', { path: 'name.txt' }))).toBe('a');
  await client.close();
});

test.runIf(web !== undefined).each([
  ['with sessions', () => randomUUID(), 1, [`client ${roots.path('a')}`]],
  ['without sessions', undefined, 0, []],
])(
  'withWorkspace() of v1 over HTTP, %s, asks where it can and never stalls',
  async (_, generate, asked, seen) => {
    const server = withWorkspace(new McpServer(INFO), {
      ...BARE,
      limits: { readyTimeout: 3_600_000, answerTimeout: 3_600_000 },
    });
    reader(server);
    const fetch = await serveHttp(server, generate);
    const client = new RawHttpClient(fetch, { roots: () => A });
    await client.connect();
    for (let i = 0; i < 2; i++) {
      const result = await client.request('tools/call', { name: 'roots', arguments: {} });
      expect(textOf(result)).toBe(JSON.stringify(seen));
    }
    expect(client.asked).toBe(asked);
    await server.close();
  },
);

/** With sessions one transport serves all; without, each request gets a server and a transport of its own. */
async function serveHttp(
  server: WorkspaceServer,
  generate: (() => string) | undefined,
): Promise<(request: Request) => Promise<Response>> {
  if (generate !== undefined) {
    const transport = new web!.WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: generate });
    await server.connect(transport);
    return (request) => transport.handleRequest(request);
  }
  return async (request) => {
    const each = withWorkspace(new McpServer(INFO), {
      ...BARE,
      limits: { readyTimeout: 3_600_000, answerTimeout: 3_600_000 },
    });
    reader(each);
    const transport = new web!.WebStandardStreamableHTTPServerTransport();
    await each.connect(transport);
    return transport.handleRequest(request);
  };
}

test('withWorkspace() of v1 keeps clients of the older HTTP transport below the operator’s roots', async () => {
  const inside = join(roots.path('operator'), 'inside');
  mkdirSync(inside);
  const transports: SSEServerTransport[] = [];
  const http = createServer((request, response) => {
    if (request.method === 'POST') {
      void transports[0]?.handlePostMessage(request, response);
      return;
    }
    const transport = new SSEServerTransport('/messages', response);
    transports.push(transport);
    const server = withWorkspace(new McpServer(INFO), { ...BARE, roots: [roots.path('operator')] });
    reader(server);
    void server.connect(transport);
  });
  await once(http.listen(0, '127.0.0.1'), 'listening');
  const client = new Client(INFO, { capabilities: { roots: {} } });
  const declared = [...A, { uri: pathToFileURL(inside).href }];
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: declared }));
  const { port } = http.address() as AddressInfo;
  await client.connect(new SSEClientTransport(new URL(`http://127.0.0.1:${port}/sse`)));
  expect(textOf(await client.callTool({ name: 'roots' }))).toBe(JSON.stringify([`client ${inside}`]));
  await client.close();
  http.closeAllConnections();
  http.close();
});

test('the callbacks of a resource template have the workspace', async () => {
  const client = await connect(
    (server) => {
      const template = new WorkspaceResourceTemplate('root://{name}', {
        list: async ({ workspace }) => ({
          resources: (await workspace.roots()).map(({ name }) => ({ uri: `root://${name}`, name })),
        }),
        complete: {
          name: async (_value, { workspace, arguments: chosen = {} }) => [
            ...(await workspace.roots()).map(({ name }) => name),
            ...Object.keys(chosen),
          ],
        },
      });
      server.registerResource('root', template, {}, () => ({ contents: [] }));
    },
    { roots: answering(A) },
  );
  expect((await client.request('resources/list'))['resources']).toEqual([{ uri: 'root://a', name: 'a' }]);
  const params = {
    ref: { type: 'ref/resource', uri: 'root://{name}' },
    argument: { name: 'name', value: '' },
    context: { arguments: { chosen: 'x' } },
  };
  expect(await client.request('completion/complete', params)).toMatchObject({
    completion: { values: ['a', 'chosen'] },
  });
  await client.close();
});
