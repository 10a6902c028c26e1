import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { PreparedWorkspace } from '../context/prepared-workspace.js';
import type { WorkspaceOptions } from '../context/workspace-options.js';
import { addWorkspace, wrapTool } from '../hooks/add-workspace.js';
import type { Handler } from '../hooks/replace-method.js';
import { ServerBinding } from '../hooks/server-binding.js';
import { createSdkPort, type Extra } from './sdk-port.js';
import type { WorkspaceExtra } from './workspace-callbacks.js';
import type { WorkspaceLowLevelServer, WorkspaceServer } from './workspace-server.js';

/**
 * Gives every handler registered from now on `extra.workspace`. Call it before registering anything, and before
 * connecting. The server itself is returned, with the types to match.
 */
export function withWorkspace(
  server: McpServer,
  options?: WorkspaceOptions | PreparedWorkspace,
): WorkspaceServer;
/** The same for a `Server` whose author sets the handlers of requests: they find the workspace there, too. */
export function withWorkspace(
  server: Server,
  options?: WorkspaceOptions | PreparedWorkspace,
): WorkspaceLowLevelServer;
export function withWorkspace(
  server: McpServer | Server,
  options: WorkspaceOptions | PreparedWorkspace = {},
): WorkspaceServer | WorkspaceLowLevelServer {
  bind(server, options);
  addWorkspace(server);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the methods were just replaced to match
  return server as WorkspaceServer | WorkspaceLowLevelServer;
}

/**
 * Gives one tool `extra.workspace` and leaves the rest of the server as it is. The arguments are inferred from the
 * place where the result is used.
 */
export function withWorkspaceTool<Args extends readonly unknown[] = []>(
  server: McpServer,
  handler: (...args: [...Args, WorkspaceExtra]) => CallToolResult | Promise<CallToolResult>,
  options: WorkspaceOptions | PreparedWorkspace = {},
): (...args: [...Args, Extra]) => Promise<CallToolResult> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- same arguments and result, wider context
  return wrapTool(bind(server, options), handler as Handler) as (
    ...args: [...Args, Extra]
  ) => Promise<CallToolResult>;
}

function bind(
  server: McpServer | Server,
  options: WorkspaceOptions | PreparedWorkspace,
): ServerBinding<Extra> {
  return ServerBinding.of(server, () => ({
    prepared: options instanceof PreparedWorkspace ? options : new PreparedWorkspace(options),
    sdk: createSdkPort('server' in server ? server.server : server),
  }));
}
