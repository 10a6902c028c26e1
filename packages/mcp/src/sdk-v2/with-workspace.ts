import type {
  CallToolResult,
  InputRequiredResult,
  McpServer,
  Server,
  ServerContext,
} from '@modelcontextprotocol/server';
import { PreparedWorkspace } from '../context/prepared-workspace.js';
import type { WorkspaceOptions } from '../context/workspace-options.js';
import { addWorkspace, wrapTool } from '../hooks/add-workspace.js';
import type { Handler } from '../hooks/replace-method.js';
import { ServerBinding } from '../hooks/server-binding.js';
import { SdkV2Port } from './sdk-port.js';
import type { WorkspaceLowLevelServer, WorkspaceServer, WorkspaceServerContext } from './workspace-server.js';

/**
 * Gives every handler registered from now on `ctx.workspace`. Call it before registering anything, and before
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

type ToolResult = CallToolResult | InputRequiredResult;

/**
 * Gives one tool `ctx.workspace` and leaves the rest of the server as it is. Pass the server that the tool is
 * registered with; all of its tools share one workspace per connection. The arguments are inferred from the place
 * where the result is used.
 */
export function withWorkspaceTool<Args extends readonly unknown[] = []>(
  server: McpServer,
  handler: (...args: [...Args, WorkspaceServerContext]) => ToolResult | Promise<ToolResult>,
  options: WorkspaceOptions | PreparedWorkspace = {},
): (...args: [...Args, ServerContext]) => Promise<ToolResult> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- same arguments and result, wider context
  return wrapTool(bind(server, options), handler as Handler) as (
    ...args: [...Args, ServerContext]
  ) => Promise<ToolResult>;
}

function bind(
  server: McpServer | Server,
  options: WorkspaceOptions | PreparedWorkspace,
): ServerBinding<ServerContext> {
  return ServerBinding.of(server, () => {
    const prepared = options instanceof PreparedWorkspace ? options : new PreparedWorkspace(options);
    return { prepared, sdk: new SdkV2Port('server' in server ? server.server : server, prepared) };
  });
}
