import type { WorkspaceContext } from '../context/workspace-context.js';
import { failedRequest, failedTool, runHandler } from './add-workspace.js';
import type { AnyServer } from './sdk-port.js';
import { ServerBinding } from './server-binding.js';

/** Notes the names of tools that a server with a workspace serves without registering them. */
export function noteTools(server: AnyServer, tools: ReadonlySet<string>): void {
  ServerBinding.known(server).noteTools(tools);
}

/**
 * Calls what serves such a tool with a context that has the workspace, and turns refusals into results. Registered tools
 * get the same from `withWorkspace`.
 */
export function callTool<Context extends object>(
  server: AnyServer,
  { tool, hasOutputSchema }: { readonly tool: string; readonly hasOutputSchema: boolean },
  args: unknown,
  ctx: Context,
  handler: (ctx: Context & { readonly workspace: WorkspaceContext }) => unknown,
): Promise<unknown> {
  const binding = ServerBinding.known<Context>(server);
  return runHandler(binding, failedTool(binding, hasOutputSchema), { args, tool }, ctx, handler);
}

/** The same for a request that is no call of a tool; refusals become errors of the protocol. */
export function serveInWorkspace<Context extends object>(
  server: AnyServer,
  ctx: Context,
  handler: (ctx: Context & { readonly workspace: WorkspaceContext }) => unknown,
): Promise<unknown> {
  const binding = ServerBinding.known<Context>(server);
  return runHandler(binding, failedRequest(binding), { args: undefined, tool: undefined }, ctx, handler);
}
