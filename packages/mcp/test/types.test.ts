import type { McpServer } from '@modelcontextprotocol/server';
import type { McpServer as McpServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { Project, Root, Scope } from '@rootward/core';
import * as z from 'zod';
import { expectTypeOf, test } from 'vitest';
import { withWorkspaceTool, WorkspaceResourceTemplate } from '../src/index.js';
import type { WorkspaceContext, WorkspaceServer } from '../src/index.js';
import { WorkspaceResourceTemplate as WorkspaceResourceTemplateV1 } from '../src/sdk-v1/index.js';
import type { WorkspaceExtra, WorkspaceServer as WorkspaceServerV1 } from '../src/sdk-v1/index.js';

/** Compiled, never run: the compiler is the test, and each `@ts-expect-error` fails it when the error is gone. */
export function wrongUse(server: WorkspaceServer, v1: WorkspaceServerV1): void {
  const inputSchema = z.object({ path: z.string() });
  // @ts-expect-error the argument does not exist
  server.registerTool('t', { inputSchema }, async ({ file }) => ({
    content: [{ type: 'text', text: file }],
  }));
  // @ts-expect-error a tool returns content
  server.registerTool('t', { inputSchema }, async () => ({ text: 'x' }));
  server.registerTool('t', { inputSchema }, async ({ path }, ctx) => {
    // @ts-expect-error there is no such accessor
    await ctx.workspace.files();
    // @ts-expect-error accessors are promises
    ctx.workspace.scope().readText(path);
    // @ts-expect-error roots cannot be changed
    (await ctx.workspace.roots()).push();
    return { content: [] };
  });
  server.registerPrompt('p', { argsSchema: inputSchema }, async ({ path }, ctx) => {
    // @ts-expect-error the path is a string
    path.toFixed();
    await ctx.workspace.project();
    return { messages: [] };
  });
  const template = new WorkspaceResourceTemplate('x://{y}', {
    // @ts-expect-error there is no such accessor
    list: async (ctx) => ({ resources: await ctx.workspace.files() }),
  });
  server.registerResource('r', template, {}, () => ({ contents: [] }));
  // @ts-expect-error a resource returns contents
  server.registerResource('r', 'x://y', {}, async (_uri, ctx) => ({ text: await ctx.workspace.directory() }));
  v1.registerTool('t', { inputSchema: { path: z.string() } }, async ({ path }, extra) => {
    // @ts-expect-error there is no such accessor
    await extra.workspace.files();
    // @ts-expect-error the path is a string
    path.toFixed();
    return { content: [] };
  });
}

/** Compiled, never run. */
export function rightUse(server: WorkspaceServer, plain: McpServer, v1: WorkspaceServerV1): void {
  const inputSchema = z.object({ path: z.string(), depth: z.number().optional() });
  server.registerTool('t', { inputSchema, outputSchema: z.object({ n: z.number() }) }, async (args, ctx) => {
    expectTypeOf(args).toEqualTypeOf<{ path: string; depth?: number | undefined }>();
    expectTypeOf(ctx.workspace).toEqualTypeOf<WorkspaceContext>();
    expectTypeOf(ctx.mcpReq.signal).toEqualTypeOf<AbortSignal>();
    return { content: [], structuredContent: { n: 1 } };
  });
  server.registerTool('t', {}, (ctx) => {
    expectTypeOf(ctx.workspace).toEqualTypeOf<WorkspaceContext>();
    return { content: [] };
  });
  server.registerTool(
    't',
    { inputSchema: { path: z.string(), depth: z.number().optional() } },
    (args, ctx) => {
      expectTypeOf(args.path).toEqualTypeOf<string>();
      expectTypeOf(args.depth).toEqualTypeOf<number | undefined>();
      expectTypeOf(ctx.workspace).toEqualTypeOf<WorkspaceContext>();
      return { content: [] };
    },
  );
  server.registerPrompt('p', {}, (ctx) => {
    expectTypeOf(ctx.workspace).toEqualTypeOf<WorkspaceContext>();
    return { messages: [] };
  });
  server.registerResource('r', 'x://y', {}, (uri, ctx) => {
    expectTypeOf(uri).toEqualTypeOf<URL>();
    expectTypeOf(ctx.workspace).toEqualTypeOf<WorkspaceContext>();
    return { contents: [] };
  });
  for (const Template of [WorkspaceResourceTemplate, WorkspaceResourceTemplateV1]) {
    const template = new Template('x://{y}', {
      list: async ({ workspace }) => {
        expectTypeOf(workspace).toEqualTypeOf<WorkspaceContext>();
        return { resources: [] };
      },
      complete: {
        y: (value, context) => {
          expectTypeOf(context.workspace).toEqualTypeOf<WorkspaceContext>();
          return [value, ...Object.keys(context.arguments ?? {})];
        },
      },
    });
    expectTypeOf(template.uriTemplate.variableNames).toEqualTypeOf<string[]>();
  }
  server.registerResource(
    'r',
    new WorkspaceResourceTemplate('x://{y}', { list: undefined }),
    {},
    (_uri, _variables, ctx) => {
      expectTypeOf(ctx.workspace).toEqualTypeOf<WorkspaceContext>();
      return { contents: [] };
    },
  );
  plain.registerTool(
    't',
    { inputSchema },
    withWorkspaceTool(plain, async ({ path }, ctx) => {
      expectTypeOf(path).toEqualTypeOf<string>();
      await ctx.workspace.scope();
      return { content: [] };
    }),
  );
  plain.registerTool(
    't',
    {},
    withWorkspaceTool(plain, async (ctx) => {
      expectTypeOf(ctx.workspace).toEqualTypeOf<WorkspaceContext>();
      return { content: [] };
    }),
  );
  v1.registerTool('t', { inputSchema: { path: z.string() } }, (args, extra) => {
    expectTypeOf(args).toEqualTypeOf<{ path: string }>();
    expectTypeOf(extra.workspace).toEqualTypeOf<WorkspaceContext>();
    return { content: [] };
  });
  olderUse(v1);
}

function olderTool(args: { path: string }, { workspace }: WorkspaceExtra): { content: [] } {
  expectTypeOf(args).toEqualTypeOf<{ path: string }>();
  expectTypeOf(workspace).toEqualTypeOf<WorkspaceContext>();
  return { content: [] };
}

/** The ways to register that the SDK deprecates. */
function olderUse(v1: WorkspaceServerV1): void {
  const shape = { path: z.string() };
  v1.tool('t', ({ workspace }) => {
    expectTypeOf(workspace).toEqualTypeOf<WorkspaceContext>();
    return { content: [] };
  });
  v1.tool('t', 'about', shape, ({ path }, { workspace }) => {
    expectTypeOf(path).toEqualTypeOf<string>();
    expectTypeOf(workspace).toEqualTypeOf<WorkspaceContext>();
    return { content: [] };
  });
  v1.tool('t', shape, olderTool);
  v1.tool('t', shape, { readOnlyHint: true }, olderTool);
  v1.tool('t', 'about', shape, { readOnlyHint: true }, olderTool);
  v1.prompt('p', 'about', shape, ({ path }, { workspace }) => {
    expectTypeOf(path).toEqualTypeOf<string>();
    expectTypeOf(workspace).toEqualTypeOf<WorkspaceContext>();
    return { messages: [] };
  });
  v1.resource('r', 'x://y', {}, (_uri, { workspace }) => {
    expectTypeOf(workspace).toEqualTypeOf<WorkspaceContext>();
    return { contents: [] };
  });
  const template = new WorkspaceResourceTemplateV1('x://{y}', { list: undefined });
  v1.resource('r', template, (_uri, _variables, { workspace }) => {
    expectTypeOf(workspace).toEqualTypeOf<WorkspaceContext>();
    return { contents: [] };
  });
}

test('a server with a workspace is still the server of its SDK', () => {
  expectTypeOf<WorkspaceServer>().toExtend<McpServer>();
  expectTypeOf<WorkspaceServerV1>().toExtend<McpServerV1>();
});

test('WorkspaceContext gives what core gives', () => {
  expectTypeOf<WorkspaceContext['scope']>().returns.toEqualTypeOf<Promise<Scope>>();
  expectTypeOf<WorkspaceContext['project']>().returns.toEqualTypeOf<Promise<Project>>();
  expectTypeOf<WorkspaceContext['roots']>().returns.toEqualTypeOf<Promise<readonly Root[]>>();
  expectTypeOf<WorkspaceContext['directory']>().returns.toEqualTypeOf<Promise<string | undefined>>();
});
