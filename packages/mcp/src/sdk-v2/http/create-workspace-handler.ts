import { createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server';
import type { CreateMcpHandlerOptions, McpHttpHandler, McpServerFactory } from '@modelcontextprotocol/server';
import { Sessions } from './sessions.js';
import type { SessionsOptions } from './sessions.js';

/** Options of `createWorkspaceHandler`: those of its sessions, and those of the SDK's `createMcpHandler`. */
export interface WorkspaceHandlerOptions
  extends SessionsOptions, Omit<CreateMcpHandlerOptions, 'legacy' | keyof SessionsOptions> {}

/** What the client learns of an error on this side: nothing but that there was one. */
const INTERNAL_ERROR = {
  jsonrpc: '2.0',
  error: { code: -32_603, message: 'Internal server error' },
  id: null,
} as const;

/** A web-standard handler, as `createMcpHandler` makes it, that keeps sessions for legacy clients. */
export interface WorkspaceHandler extends McpHttpHandler {
  /** Legacy sessions that are open. */
  readonly sessions: number;
}

/**
 * Serves MCP over HTTP, both eras, from one factory: legacy clients get a session of their own, in which they can be
 * asked for roots; requests of modern clients stand alone. Does NOT check Host, Origin or tokens: put
 * that in front, and pass what a token stands for as `authInfo`.
 */
export function createWorkspaceHandler(
  factory: McpServerFactory,
  options: WorkspaceHandlerOptions = {},
): WorkspaceHandler {
  const { maxRequestBodySize } = options;
  const modern = createMcpHandler(factory, { ...modernOptions(options), legacy: 'reject' });
  const sessions = new Sessions(factory, options);
  const limit = maxRequestBodySize === undefined ? {} : { maxRequestBodySize };
  return {
    notify: modern.notify,
    bus: modern.bus,
    get sessions() {
      return sessions.size;
    },
    fetch: async (request, given = {}) => {
      try {
        const legacy = await isLegacyRequest(request, given.parsedBody, limit);
        return await (legacy ? sessions : modern).fetch(request, given);
      } catch (error) {
        options.onerror?.(error instanceof Error ? error : new Error(String(error)));
        return Response.json(INTERNAL_ERROR, { status: 500 });
      }
    },
    close: async () => {
      await Promise.all([modern.close(), sessions.close()]);
    },
  };
}

function modernOptions(options: WorkspaceHandlerOptions): CreateMcpHandlerOptions {
  const { onerror, responseMode, bus, maxSubscriptions, keepAliveMs, maxRequestBodySize } = options;
  return {
    ...(onerror !== undefined && { onerror }),
    ...(responseMode !== undefined && { responseMode }),
    ...(bus !== undefined && { bus }),
    ...(maxSubscriptions !== undefined && { maxSubscriptions }),
    ...(keepAliveMs !== undefined && { keepAliveMs }),
    ...(maxRequestBodySize !== undefined && { maxRequestBodySize }),
  };
}
