import type { McpServer, ServerContext } from '@modelcontextprotocol/server';

/** What happens around the one handler of `tools/call`. */
type Around = (request: unknown, ctx: ServerContext, handle: () => Promise<unknown>) => Promise<unknown>;

/** Surrounds the handler of `tools/call`. Apply it before the first tool is registered; the first to do so is outermost. */
export function surroundCalls({ server }: McpServer, around: Around): void {
  const register: unknown = Reflect.get(server, 'setRequestHandler');
  if (typeof register !== 'function') return;
  const patched = (method: unknown, ...rest: unknown[]): unknown => {
    const handler = rest.at(-1);
    if (method !== 'tools/call' || typeof handler !== 'function') {
      return Reflect.apply(register, server, [method, ...rest]);
    }
    const surrounded = (request: unknown, ctx: ServerContext): Promise<unknown> =>
      around(request, ctx, async (): Promise<unknown> => Reflect.apply(handler, undefined, [request, ctx]));
    return Reflect.apply(register, server, [method, ...rest.slice(0, -1), surrounded]);
  };
  Object.defineProperty(server, 'setRequestHandler', { value: patched, configurable: true, writable: true });
}
