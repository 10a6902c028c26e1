import type { McpServer, ServerContext } from '@modelcontextprotocol/server';

/** Runs in place of the handler of a method, which it may call. */
type Wrapper = (request: unknown, ctx: ServerContext, handle: () => Promise<unknown>) => Promise<unknown>;

/** Wraps the handler of a method. Apply it before the handler is set; the first to do so is outermost. */
export function wrapRequests({ server }: McpServer, wrappedMethod: string, wrapper: Wrapper): void {
  const register: unknown = Reflect.get(server, 'setRequestHandler');
  if (typeof register !== 'function') return;
  const patched = (method: unknown, ...rest: unknown[]): unknown => {
    const handler = rest.at(-1);
    if (method !== wrappedMethod || typeof handler !== 'function') {
      return Reflect.apply(register, server, [method, ...rest]);
    }
    const wrapped = (request: unknown, ctx: ServerContext): Promise<unknown> =>
      wrapper(request, ctx, async (): Promise<unknown> => Reflect.apply(handler, undefined, [request, ctx]));
    return Reflect.apply(register, server, [method, ...rest.slice(0, -1), wrapped]);
  };
  Object.defineProperty(server, 'setRequestHandler', { value: patched, configurable: true, writable: true });
}
