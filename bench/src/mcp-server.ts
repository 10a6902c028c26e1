import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { prepareWorkspace, serveWorkspaceStdio, withWorkspace } from '@rootward/mcp';
import { z } from 'zod';

const INFO = { name: 'bench', version: '1.0.0' };
const inputSchema = z.object({ workspace: z.string().optional() });
const DONE = { content: [{ type: 'text' as const, text: 'done' }] };

/** Run as a program with `plain` or `workspace`: the same tool, on the SDK alone and with roots. */
if (process.argv[2] === 'plain') {
  serveStdio(() => {
    const server = new McpServer(INFO);
    server.registerTool('nothing', { inputSchema }, () => DONE);
    return server;
  });
} else {
  const workspace = prepareWorkspace({ environment: {} });
  serveWorkspaceStdio(() => {
    const server = withWorkspace(new McpServer(INFO), workspace);
    server.registerTool('nothing', { inputSchema }, async (_args, ctx) => {
      await ctx.workspace.roots();
      return DONE;
    });
    server.registerTool('handle', {}, async (ctx) => ({
      content: [{ type: 'text', text: (await ctx.workspace.handle()) ?? '' }],
    }));
    return server;
  });
}
