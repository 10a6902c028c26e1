import type { WorkspaceContext } from '../context/workspace-context.js';
import { failedTool, runHandler } from './add-workspace.js';
import type { AnyServer } from './sdk-port.js';
import { ServerBinding } from './server-binding.js';

/** Calls what serves a tool with a context that has the workspace, and turns refusals into results. */
export type ToolCaller<Context> = (
  called: { readonly tool: string; readonly hasOutputSchema: boolean },
  args: unknown,
  ctx: Context,
  handler: (ctx: Context & { readonly workspace: WorkspaceContext }) => unknown,
) => Promise<unknown>;

/**
 * For tools that a server with a workspace serves without registering them. Registered ones get the same from
 * `withWorkspace`.
 */
export function toolCaller<Context extends object>(
  server: AnyServer,
  tools: ReadonlySet<string>,
): ToolCaller<Context> {
  const binding = ServerBinding.known<Context>(server);
  binding.noteTools(tools);
  return ({ tool, hasOutputSchema }, args, ctx, handler) =>
    runHandler(binding, failedTool(binding, hasOutputSchema), { args, tool }, ctx, handler);
}
