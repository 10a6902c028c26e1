import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CompleteRequestSchema, ListResourcesRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { inCompletionContext } from '../workspace/completion-context.js';
import type { Handler } from '../workspace/patch-registration.js';
import type { Extra, ServerBinding } from './server-binding.js';
import type { WorkspaceExtra } from './workspace-callbacks.js';

/** What a handler is called with, changed so that callbacks further in find the workspace. */
type Widen = (request: unknown, extra: WorkspaceExtra) => readonly [request: unknown, extra: Extra];

/** Requests whose callbacks are not registered as handlers: `McpServer` passes on what it was called with. */
const LISTINGS: ReadonlyMap<unknown, Widen> = new Map<unknown, Widen>([
  [ListResourcesRequestSchema, (request, extra) => [request, extra]],
  [CompleteRequestSchema, (request, extra) => [inCompletionContext(request, extra.workspace), extra]],
]);

/** Gives the callbacks that list resources and complete arguments the workspace. Call it before they are registered. */
export function hookListings(
  server: Server,
  binding: ServerBinding,
  failure: (error: unknown) => unknown,
): void {
  const setHandler = server.setRequestHandler.bind(server);
  server.setRequestHandler = (schema: unknown, handler: unknown): void => {
    const widen = LISTINGS.get(schema);
    const hooked =
      widen === undefined || typeof handler !== 'function'
        ? handler
        : // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all handlers are called the same way
          surround(binding, handler as Handler, widen, failure);
    Reflect.apply(setHandler, server, [schema, hooked]);
  };
}

function surround(
  binding: ServerBinding,
  handler: Handler,
  widen: Widen,
  failure: (error: unknown) => unknown,
): (request: unknown, extra: Extra) => Promise<unknown> {
  return async (request, extra) => {
    try {
      return await handler(...widen(request, { ...extra, workspace: binding.context(extra) }));
    } catch (error) {
      binding.countRefusal(error);
      return failure(error);
    }
  };
}
