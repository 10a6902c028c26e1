import { isInputRequiredResult, ProtocolError } from '@modelcontextprotocol/server';
import type {
  CallToolResult,
  InputRequiredResult,
  McpServer,
  ServerContext,
} from '@modelcontextprotocol/server';
import { isObject } from '../stdio/message.js';
import { failedToolResult, reportError, rpcCode } from '../workspace/error-report.js';
import { patchRegistration } from '../workspace/patch-registration.js';
import type { Handler } from '../workspace/patch-registration.js';
import type { PreparedWorkspace, WorkspaceOptions } from '../workspace/prepared-workspace.js';
import { hookListings } from './hook-listings.js';
import { askForRoots, askForRootsToo } from './needs-roots.js';
import { ServerBinding } from './server-binding.js';
import type { WorkspaceServer, WorkspaceServerContext } from './workspace-server.js';

/** What becomes of an error: a result, or an error to throw. */
type Failure = (error: unknown) => unknown;

/**
 * Gives every handler registered from now on `ctx.workspace`. Call it before registering anything, and before
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
  for (const method of ['registerPrompt', 'registerResource']) {
    patchRegistration(server, method, () => (handler) => surround(binding, handler, rpcError));
  }
  hookListings(server.server, binding, rpcError);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the methods were just replaced to match
  return server as WorkspaceServer;
}

/**
 * Gives one tool `ctx.workspace` and leaves the rest of the server as it is. Pass the server that the tool is
 * registered with; all of its tools share one workspace per connection. The arguments are inferred from the place
 * where the result is used.
 */
export function withWorkspaceTool<Args extends readonly unknown[] = []>(
  server: McpServer,
  handler: (...args: [...Args, WorkspaceServerContext]) => MaybePromise<ToolResult>,
  options: WorkspaceOptions | PreparedWorkspace = {},
): (...args: [...Args, ServerContext]) => Promise<ToolResult> {
  const binding = ServerBinding.of(server, options);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- same arguments and result, wider context
  return surround(binding, handler as Handler, failedTool(true)) as (
    ...args: [...Args, ServerContext]
  ) => Promise<ToolResult>;
}

type ToolResult = CallToolResult | InputRequiredResult;
type MaybePromise<T> = T | Promise<T>;

function surround(binding: ServerBinding, handler: Handler, failure: Failure): Handler {
  return async (...args: unknown[]) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the SDK passes its context last
    const ctx = args.at(-1) as ServerContext;
    const call = binding.call(ctx, args.length > 1 ? args[0] : undefined);
    try {
      const result = await handler(...args.slice(0, -1), { ...ctx, workspace: call.workspace });
      // Also where the handler caught what ended it.
      if (call.needsRoots) return askForRoots();
      return call.carriesRoots && isInputRequiredResult(result) ? askForRootsToo(result) : result;
    } catch (error) {
      if (call.needsRoots) return askForRoots();
      binding.countRefusal(error);
      return failure(error);
    } finally {
      call.dispose();
    }
  };
}

/** Inside the handler: `McpServer` would keep the message of what a tool throws, and nothing else. */
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
  throw new ProtocolError(rpcCode(report), report.message, report);
}
