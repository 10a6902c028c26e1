import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { isObject } from '../stdio/message.js';
import { failedToolResult, reportError, rpcCode } from '../workspace/error-report.js';
import { patchRegistration } from '../workspace/patch-registration.js';
import type { Handler } from '../workspace/patch-registration.js';
import type { PreparedWorkspace, WorkspaceOptions } from '../workspace/prepared-workspace.js';
import { hookListings } from './hook-listings.js';
import { ServerBinding } from './server-binding.js';
import type { Extra } from './server-binding.js';
import type { WorkspaceExtra } from './workspace-callbacks.js';
import type { WorkspaceServer } from './workspace-server.js';

/** What becomes of an error: a result, or an error to throw. */
type Failure = (error: unknown) => unknown;

/**
 * Gives every handler registered from now on `extra.workspace`. Call it before registering anything, and before
 * connecting. The server itself is returned, with the types to match.
 */
export function withWorkspace(
  server: McpServer,
  options: WorkspaceOptions | PreparedWorkspace = {},
): WorkspaceServer {
  const binding = ServerBinding.of(server, options);
  patchRegistration(server, 'registerTool', ([, config]) => {
    const failure = failedTool(isObject(config) && config['outputSchema'] !== undefined);
    return (handler) => surround(binding, handler, failure);
  });
  patchRegistration(server, 'tool', () => (handler) => surround(binding, handler, failedTool(false)));
  for (const method of ['registerPrompt', 'registerResource', 'prompt', 'resource']) {
    patchRegistration(server, method, () => (handler) => surround(binding, handler, rpcError));
  }
  hookListings(server.server, binding, rpcError);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the methods were just replaced to match
  return server as WorkspaceServer;
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
  const binding = ServerBinding.of(server, options);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- same arguments and result, wider context
  return surround(binding, handler as Handler, failedTool(true)) as (
    ...args: [...Args, Extra]
  ) => Promise<CallToolResult>;
}

function surround(binding: ServerBinding, handler: Handler, failure: Failure): Handler {
  return async (...args: unknown[]) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the SDK passes its context last
    const extra = args.at(-1) as Extra;
    try {
      return await handler(...args.slice(0, -1), { ...extra, workspace: binding.context(extra) });
    } catch (error) {
      binding.countRefusal(error);
      return failure(error);
    }
  };
}

function failedTool(hasOutputSchema: boolean): Failure {
  return (error) => {
    const report = reportError(error);
    if (report === undefined) throw error;
    return failedToolResult(report, hasOutputSchema);
  };
}

function rpcError(error: unknown): never {
  const report = reportError(error);
  if (report === undefined) throw error;
  throw new McpError(rpcCode(report), report.message, report);
}
