import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CLIENT_CAPABILITIES_META_KEY } from '@modelcontextprotocol/server';
import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import { isObject } from '@rootward/core/platform';
import { wrapRequests, type Wrappers } from '../tools/framework/wrap-requests.js';

/** What clients declare that show pages of servers (MCP Apps). */
const EXTENSION = 'io.modelcontextprotocol/ui';
const MIME_TYPE = 'text/html;profile=mcp-app';
const PANEL_URI = 'ui://rootward/workspace';
const TOOL = 'workspace_info';

/**
 * Gives clients that show pages of servers a small one for `workspace_info`. Others see nothing of it. Apply it before
 * tools and resources are registered. `program` is the folder the panel was built into, and `calledOn` the server that got a
 * request, where it is another one.
 */
export function offerPanel(
  server: McpServer,
  program: string | undefined,
  calledOn?: (ctx: ServerContext) => McpServer,
): void {
  if (program !== undefined) wrapRequests(server, WRAPPERS, { program, server, calledOn });
}

interface Panel {
  readonly program: string;
  readonly server: McpServer;
  readonly calledOn: ((ctx: ServerContext) => McpServer) | undefined;
}

const WRAPPERS: Wrappers<Panel> = new Map([
  [
    'tools/list',
    async (_request, ctx, handle, panel) => {
      const result = await handle();
      if (!isObject(result) || !Array.isArray(result['tools']) || !isShown(panel, ctx)) return result;
      const tools = result['tools'].map((tool: unknown) =>
        isObject(tool) && tool['name'] === TOOL ? withPanel(tool) : tool,
      );
      return { ...result, tools };
    },
  ],
  [
    'resources/read',
    async (request, ctx, handle, panel) => {
      const params = isObject(request) && isObject(request['params']) ? request['params'] : {};
      if (params['uri'] !== PANEL_URI || !isShown(panel, ctx)) return handle();
      const text = await readFile(join(panel.program, 'panel.html'), 'utf8');
      const meta = { ui: { prefersBorder: true } };
      return { contents: [{ uri: PANEL_URI, mimeType: MIME_TYPE, text, _meta: meta }] };
    },
  ],
]);

function isShown({ server, calledOn }: Panel, ctx: ServerContext): boolean {
  return showsPanels(calledOn?.(ctx) ?? server, ctx);
}

function withPanel(tool: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const meta = isObject(tool['_meta']) ? tool['_meta'] : {};
  return { ...tool, _meta: { ...meta, ui: { resourceUri: PANEL_URI } } };
}

/** Declared in the handshake, or with each request where there is none. */
function showsPanels({ server }: McpServer, { mcpReq: { envelope } }: ServerContext): boolean {
  const own: unknown = isObject(envelope) ? envelope[CLIENT_CAPABILITIES_META_KEY] : undefined;
  const capabilities: unknown = own ?? server.getClientCapabilities();
  const extensions = isObject(capabilities) ? capabilities['extensions'] : undefined;
  const declared = isObject(extensions) ? extensions[EXTENSION] : undefined;
  const types = isObject(declared) ? declared['mimeTypes'] : undefined;
  return Array.isArray(types) && types.includes(MIME_TYPE);
}
