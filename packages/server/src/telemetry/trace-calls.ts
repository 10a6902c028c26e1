import { PROTOCOL_VERSION_META_KEY, type McpServer, type ServerContext } from '@modelcontextprotocol/server';
import { isObject } from '@rootward/core/platform';
import { wrapRequests, type Wrappers } from '../tools/framework/wrap-requests.js';
import { TOOL_ERROR, type Telemetry } from './telemetry.js';

/** Makes a span of every call of a tool. Apply it before the first tool is registered. */
export function traceCalls(server: McpServer, telemetry: Telemetry, session: { readonly id: string }): void {
  wrapRequests(server, WRAPPERS, { server, telemetry, session });
}

interface Traced {
  readonly server: McpServer;
  readonly telemetry: Telemetry;
  readonly session: { readonly id: string };
}

const WRAPPERS: Wrappers<Traced> = new Map([
  [
    'tools/call',
    async (request, ctx, handle, { server, telemetry, session }) => {
      const params = isObject(request) && isObject(request['params']) ? request['params'] : {};
      const trace = telemetry.begin({
        tool: String(params['name']),
        session: session.id,
        id: String(ctx.mcpReq.id),
        revision: revisionOf(server, ctx),
        meta: params['_meta'],
      });
      try {
        const result = await trace.run(handle);
        trace.end(isObject(result) && result['isError'] === true ? TOOL_ERROR : undefined);
        return result;
      } catch (error) {
        trace.end(error instanceof Error && 'code' in error ? String(error.code) : 'error');
        throw error;
      }
    },
  ],
]);

/** Of the handshake, or of the request where there was none. */
function revisionOf({ server }: McpServer, { mcpReq }: ServerContext): string | undefined {
  const { envelope } = mcpReq;
  const named: unknown = isObject(envelope) ? envelope[PROTOCOL_VERSION_META_KEY] : undefined;
  return typeof named === 'string' ? named : server.getNegotiatedProtocolVersion();
}
