import type { Server, ServerContext } from '@modelcontextprotocol/server';
import { inCompletionContext } from '../workspace/completion-context.js';
import type { Handler } from '../workspace/patch-registration.js';
import type { ServerBinding } from './server-binding.js';
import type { WorkspaceServerContext } from './workspace-server.js';

/** What a handler is called with, changed so that callbacks further in find the workspace. */
type Widen = (
  request: unknown,
  ctx: WorkspaceServerContext,
) => readonly [request: unknown, ctx: ServerContext];

/** Requests whose callbacks are not registered as handlers: `McpServer` passes on what it was called with. */
const LISTINGS: ReadonlyMap<unknown, Widen> = new Map<unknown, Widen>([
  ['resources/list', (request, ctx) => [request, ctx]],
  ['completion/complete', (request, ctx) => [inCompletionContext(request, ctx.workspace), ctx]],
]);

/** Gives the callbacks that list resources and complete arguments the workspace. Call it before they are registered. */
export function hookListings(
  server: Server,
  binding: ServerBinding,
  failure: (error: unknown) => unknown,
): void {
  const setHandler = server.setRequestHandler.bind(server);
  server.setRequestHandler = (method: string, ...rest: unknown[]): void => {
    const widen = LISTINGS.get(method);
    const handler = rest.at(-1);
    const hooked =
      widen === undefined || typeof handler !== 'function'
        ? rest
        : // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all handlers are called the same way
          [...rest.slice(0, -1), surround(binding, handler as Handler, widen, failure)];
    Reflect.apply(setHandler, server, [method, ...hooked]);
  };
}

function surround(
  binding: ServerBinding,
  handler: Handler,
  widen: Widen,
  failure: (error: unknown) => unknown,
): (request: unknown, ctx: ServerContext) => Promise<unknown> {
  return async (request, ctx) => {
    const call = binding.call(ctx, undefined, false);
    try {
      return await handler(...widen(request, { ...ctx, workspace: call.workspace }));
    } catch (error) {
      binding.countRefusal(error);
      return failure(error);
    } finally {
      call.dispose();
    }
  };
}
