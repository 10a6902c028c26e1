import type { McpServer, ServerContext } from '@modelcontextprotocol/server';

/** What happens around the one handler of a method. */
type Around = (request: unknown, ctx: ServerContext, handle: () => Promise<unknown>) => Promise<unknown>;

/** Surrounds the handler of a method. Apply it before the handler is set; the first to do so is outermost. */
export function surroundRequests({ server }: McpServer, surrounding: string, around: Around): void {
  const register: unknown = Reflect.get(server, 'setRequestHandler');
  if (typeof register !== 'function') return;
  const patched = (method: unknown, ...rest: unknown[]): unknown => {
    const handler = rest.at(-1);
    if (method !== surrounding || typeof handler !== 'function') {
      return Reflect.apply(register, server, [method, ...rest]);
    }
    const surrounded = (request: unknown, ctx: ServerContext): Promise<unknown> =>
      around(request, ctx, async (): Promise<unknown> => Reflect.apply(handler, undefined, [request, ctx]));
    return Reflect.apply(register, server, [method, ...rest.slice(0, -1), surrounded]);
  };
  Object.defineProperty(server, 'setRequestHandler', { value: patched, configurable: true, writable: true });
}
