import { createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server';
import type { CreateMcpHandlerOptions, McpHttpHandler, McpServerFactory } from '@modelcontextprotocol/server';
import { Sessions } from './sessions.js';
import type { SessionsOptions } from './sessions.js';

export interface WorkspaceHandlerOptions
  extends SessionsOptions, Omit<CreateMcpHandlerOptions, 'legacy' | 'maxRequestBodySize'> {}

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
  const { jsonResponse, eventStore, sessionIdleTimeout, maxSessions, clock, ...shared } = options;
  const modern = createMcpHandler(factory, {
    legacy: 'reject',
    ...(jsonResponse === true && { responseMode: 'json' }),
    ...shared,
  });
  const sessions = new Sessions(factory, options);
  const limit = options.maxRequestBodySize;
  return {
    notify: modern.notify,
    bus: modern.bus,
    get sessions() {
      return sessions.size;
    },
    fetch: async (request, given = {}) => {
      const legacy = await isLegacyRequest(
        request,
        given.parsedBody,
        limit === undefined ? {} : { maxRequestBodySize: limit },
      );
      return legacy ? sessions.fetch(request, given) : modern.fetch(request, given);
    },
    close: async () => {
      await Promise.all([modern.close(), sessions.close()]);
    },
  };
}
