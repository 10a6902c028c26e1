import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { z } from 'zod';

const inputSchema = z.object({ path: z.string() });

/** Run as a program with a port: reads files over HTTP on the SDK alone, wherever they are. */
const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'bench', version: '1.0.0' });
  server.registerTool('read_text_file', { inputSchema }, async ({ path }) => ({
    content: [{ type: 'text', text: await readFile(path, 'utf8') }],
  }));
  return server;
});
const serve = toNodeHandler(handler);
createServer((request, response) => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a request that a server gets has a method and a URL
  void serve(request as Parameters<typeof serve>[0], response);
}).listen(Number(process.argv[2]), '127.0.0.1');
