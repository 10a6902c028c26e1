// The same server on SDK v1. Only the imports and the shape of the schemas differ.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { serveWorkspaceStdio, withWorkspace } from '@rootward/mcp/v1';
import { z } from 'zod';

serveWorkspaceStdio(() => {
  const server = withWorkspace(new McpServer({ name: 'line-counter', version: '1.0.0' }));

  server.registerTool(
    'count_lines',
    { description: 'Counts the lines of a file in the workspace', inputSchema: { path: z.string() } },
    async ({ path }, extra) => {
      const scope = await extra.workspace.scope();
      const file = await scope.readText(path);
      return { content: [{ type: 'text', text: String(file.text.split('\n').length - 1) }] };
    },
  );

  server.registerTool('workspace_info', { description: 'Tells which folders are open' }, async (extra) => {
    const roots = await extra.workspace.roots();
    return { content: [{ type: 'text', text: JSON.stringify(roots.map(({ path }) => path)) }] };
  });

  return server;
});
