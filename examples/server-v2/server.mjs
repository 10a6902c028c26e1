// A minimal MCP server that knows which folders are open in its client, on every protocol revision.
// One line makes the difference: withWorkspace(…). See it driven by a client: node client.mjs
import { inputRequired, inputResponse, McpServer } from '@modelcontextprotocol/server';
import { serveWorkspaceStdio, withWorkspace } from '@rootward/mcp';
import { z } from 'zod';

serveWorkspaceStdio(({ era }) => {
  const server = withWorkspace(new McpServer({ name: 'line-counter', version: '1.0.0' }));

  // Clients of the modern era may pass the token that `workspace_info` gave them, which spares one question per call.
  const handle = era === 'modern' ? { workspace: z.string().optional() } : {};

  server.registerTool(
    'count_lines',
    {
      description: 'Counts the lines of a file in the workspace',
      inputSchema: z.object({ path: z.string(), ...handle }),
    },
    async ({ path }, ctx) => {
      // The client is asked for its folders here, if it has not been asked before.
      const scope = await ctx.workspace.scope();
      const file = await scope.readText(path);
      return { content: [{ type: 'text', text: String(file.text.split('\n').length - 1) }] };
    },
  );

  server.registerTool(
    'workspace_info',
    { description: 'Tells which folders are open, and gives a handle for further calls' },
    async (ctx) => {
      const roots = await ctx.workspace.roots();
      const info = { roots: roots.map(({ path }) => path), handle: await ctx.workspace.handle() };
      return { content: [{ type: 'text', text: JSON.stringify(info) }], structuredContent: info };
    },
  );

  server.registerTool(
    'switch_project',
    {
      description: 'Opens another folder, if the user agrees',
      inputSchema: z.object({ project: z.string(), ...handle }),
    },
    async ({ project }, ctx) => {
      const live = await ctx.workspace.live();
      // Where the path really leads; beyond the ceiling this fails, and nobody is asked.
      const folder = await live.consider(project);
      // The path is in the key, so that no answer about another folder counts for this one.
      const key = `open ${folder.path}`;
      const answer = inputResponse(ctx.mcpReq.inputResponses, key);
      if (answer.kind !== 'elicit') {
        const question = inputRequired.elicit({
          message: `Open ${folder.path}?`,
          requestedSchema: { type: 'object', properties: {} },
        });
        return inputRequired({ inputRequests: { [key]: question } });
      }
      if (answer.action !== 'accept') {
        return { content: [{ type: 'text', text: 'The user declined' }], isError: true };
      }
      const root = await live.grant(folder);
      const { id } = live.chooseProject({ root });
      // A legacy connection remembers it. Elsewhere nothing is kept, so later calls bring it along in the handle.
      const others = live.snapshot().roots.filter(({ path }) => path !== root.path);
      const info = { id, handle: await ctx.workspace.handle([root, ...others]) };
      return { content: [{ type: 'text', text: JSON.stringify(info) }], structuredContent: info };
    },
  );

  // Prompts and resources have the workspace, too.
  server.registerPrompt('review', { description: 'Asks for a review of this project' }, async (ctx) => {
    const { name } = await ctx.workspace.project();
    return { messages: [{ role: 'user', content: { type: 'text', text: `Review the project ${name}` } }] };
  });

  return server;
});
