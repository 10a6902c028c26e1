// The same over HTTP, for both eras: legacy clients get a session each, modern requests stand alone.
// Usage: [PORT=3000] node server.mjs FOLDER…. What is named here is the most any client can open.
// There is no token: everyone on this machine can connect. `requireBearerAuth` of the SDK checks one.
import { createServer } from 'node:http';
import { resolve } from 'node:path';
import {
  localhostHostValidation,
  localhostOriginValidation,
  toNodeHandler,
} from '@modelcontextprotocol/node';
import { McpServer } from '@modelcontextprotocol/server';
import { createWorkspaceHandler, prepareWorkspace, withWorkspace } from '@rootward/mcp';
import { z } from 'zod';

const folders = process.argv.slice(2).map((folder) => resolve(folder));
// Without any, whoever connects could name the whole disk.
if (folders.length === 0) {
  console.error('Usage: node server.mjs FOLDER…');
  process.exit(2);
}

// Servers are made per session or request here, so what they share is prepared once.
const workspace = prepareWorkspace({ roots: folders });

const handler = createWorkspaceHandler(() => {
  const server = withWorkspace(new McpServer({ name: 'line-counter', version: '1.0.0' }), workspace);
  server.registerTool(
    'count_lines',
    {
      description: 'Counts the lines of a file in the workspace',
      inputSchema: z.object({ path: z.string() }),
    },
    async ({ path }, ctx) => {
      const file = await (await ctx.workspace.scope()).readText(path);
      return { content: [{ type: 'text', text: String(file.text.split('\n').length - 1) }] };
    },
  );
  return server;
});

// A web page must not be able to talk to a server on this machine: check where requests come from.
const hostIsFine = localhostHostValidation();
const originIsFine = localhostOriginValidation();
const serve = toNodeHandler(handler);
const http = createServer((request, response) => {
  if (hostIsFine(request, response) && originIsFine(request, response)) void serve(request, response);
});

http.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  const address = http.address();
  if (typeof address === 'object') console.log(`http://127.0.0.1:${address?.port}/mcp`);
});
