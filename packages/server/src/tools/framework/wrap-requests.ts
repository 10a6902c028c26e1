import type { McpServer, ServerContext } from '@modelcontextprotocol/server';

/** Runs in place of the handler of a method, which it may call. */
type Wrapper<Own> = (
  request: unknown,
  ctx: ServerContext,
  handle: () => Promise<unknown>,
  own: Own,
) => Promise<unknown>;

/** Wrappers by the method that they are for; the same for any number of servers. */
export type Wrappers<Own> = ReadonlyMap<string, Wrapper<Own>>;

/**
 * Wraps the handlers of some methods. Apply it before they are set; the first to do so is outermost. `own` is what the
 * wrappers need to know of this server.
 */
export function wrapRequests<Own>({ server }: McpServer, wrappers: Wrappers<Own>, own: Own): void {
  const register: unknown = Reflect.get(server, 'setRequestHandler');
  if (typeof register !== 'function') return;
  const patched = (method: string, ...rest: unknown[]): unknown => {
    const wrapper = wrappers.get(method);
    const handler = rest.at(-1);
    if (wrapper === undefined || typeof handler !== 'function') {
      return Reflect.apply(register, server, [method, ...rest]);
    }
    const wrapped = (request: unknown, ctx: ServerContext): Promise<unknown> =>
      wrapper(
        request,
        ctx,
        async (): Promise<unknown> => Reflect.apply(handler, undefined, [request, ctx]),
        own,
      );
    return Reflect.apply(register, server, [method, ...rest.slice(0, -1), wrapped]);
  };
  Object.defineProperty(server, 'setRequestHandler', { value: patched, configurable: true, writable: true });
}
