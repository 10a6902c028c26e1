import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import { ProtocolError } from '@modelcontextprotocol/server';

/** Makes the call that this context belongs to fail with an error of the protocol. */
export type FailCall = (
  ctx: Pick<ServerContext, 'mcpReq'>,
  code: number,
  message: string,
  data?: unknown,
) => void;

/**
 * `McpServer` turns whatever a tool throws into a result. Tools may want an error of the protocol all the same: this
 * surrounds the one handler of `tools/call`. Apply it before the first tool is registered.
 */
export function allowProtocolErrors({ server }: McpServer): FailCall {
  const errors = new WeakMap<object, ProtocolError>();
  const register: unknown = Reflect.get(server, 'setRequestHandler');
  if (typeof register === 'function') {
    const patched = (method: unknown, ...rest: unknown[]): unknown => {
      const handler = rest.at(-1);
      if (method !== 'tools/call' || typeof handler !== 'function') {
        return Reflect.apply(register, server, [method, ...rest]);
      }
      const surrounded = async (request: unknown, ctx: ServerContext): Promise<unknown> => {
        const result: unknown = await Reflect.apply(handler, undefined, [request, ctx]);
        const error = errors.get(ctx.mcpReq);
        if (error !== undefined) throw error;
        return result;
      };
      return Reflect.apply(register, server, [method, ...rest.slice(0, -1), surrounded]);
    };
    Object.defineProperty(server, 'setRequestHandler', {
      value: patched,
      configurable: true,
      writable: true,
    });
  }
  return (ctx, code, message, data) => {
    errors.set(ctx.mcpReq, new ProtocolError(code, message, data));
  };
}
