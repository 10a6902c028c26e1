import { ProtocolError, type McpServer, type ServerContext } from '@modelcontextprotocol/server';
import { wrapRequests, type Wrappers } from '../framework/wrap-requests.js';

/** Makes the call that this context belongs to fail with an error of the protocol. */
export type FailCall = (
  ctx: Pick<ServerContext, 'mcpReq'>,
  code: number,
  message: string,
  data?: unknown,
) => void;

/**
 * `McpServer` turns whatever a tool throws into a result. Tools may want an error of the protocol all the same: this
 * wraps the handler of `tools/call`. Apply it before the first tool is registered.
 */
export function allowProtocolErrors(server: McpServer): FailCall {
  const errors = new WeakMap<object, ProtocolError>();
  wrapRequests(server, WRAPPERS, errors);
  return (ctx, code, message, data) => {
    errors.set(ctx.mcpReq, new ProtocolError(code, message, data));
  };
}

const WRAPPERS: Wrappers<WeakMap<object, ProtocolError>> = new Map([
  [
    'tools/call',
    async (_request, ctx, handle, errors) => {
      const result = await handle();
      const error = errors.get(ctx.mcpReq);
      if (error !== undefined) throw error;
      return result;
    },
  ],
]);
