import type { Server, ServerResponse } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import type { McpServerFactory } from '@modelcontextprotocol/server';
import { createWorkspaceHandler } from '@rootward/mcp';
import type { SessionsOptions, WorkspaceHandler, WorkspaceHandlerOptions } from '@rootward/mcp';
import { challenge, resourceOf } from '../oauth/resource-metadata.js';
import { Draining, isStream } from './draining.js';
import { endWithToken } from './end-with-token.js';
import { createGuardedServer, MAX_BODY_BYTES, type GuardOptions } from './guarded-server.js';
import { maxConnections } from './max-connections.js';

export interface HttpServerOptions
  extends GuardOptions, Pick<SessionsOptions, 'clock' | 'sessionIdleTimeout'> {
  readonly handler?: Pick<
    WorkspaceHandlerOptions,
    'sessionStore' | 'revocations' | 'limits' | 'parkAfter' | 'maxResting'
  >;
}

export interface HttpServer {
  readonly server: Server;
  readonly handler: WorkspaceHandler;
  /** Tells balancers to go elsewhere, and waits for the requests that are under way. */
  drain(): Promise<void>;
  /** Ends all sessions and connections. */
  close(): Promise<void>;
}

const REFUSED_LATER = { error: 'invalid_token', message: 'The token is no longer accepted' } as const;

/** The MCP endpoint behind its guards. Not listening yet. */
export function createHttpServer(factory: McpServerFactory, options: HttpServerOptions): HttpServer {
  const { log, clock, sessionIdleTimeout } = options;
  const maxRequestBodySize = options.maxBodyBytes ?? MAX_BODY_BYTES;
  const onerror = (error: Error): void => log.debug('request not served', { error: error.message });
  const places = options.maxConnections ?? maxConnections();
  const handler = createWorkspaceHandler(factory, {
    maxRequestBodySize,
    // Each has a connection, of which there are only so many.
    maxSubscriptions: places,
    onerror,
    ...options.handler,
    ...(clock !== undefined && { clock }),
    ...(sessionIdleTimeout !== undefined && { sessionIdleTimeout }),
  });
  // Whoever was let in and is refused further on, because access was revoked, is told where to get another token, too.
  const fetch: WorkspaceHandler['fetch'] = async (request, given) => {
    const response = await handler.fetch(request, given);
    if (response.status === 401) {
      const resource = resourceOf(options, new URL(request.url).host);
      response.headers.set('WWW-Authenticate', challenge(resource, REFUSED_LATER));
    }
    return response;
  };
  const serve = toNodeHandler({ fetch }, { onerror, maxRequestBodySize });
  const draining = new Draining();
  const server = createGuardedServer(
    (request, response) => {
      draining.follow(request, response);
      if (isStream(request)) endWithToken(request.auth, response);
      if (request.method === 'GET') flushHeadersEarly(response);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same, but for exact optional members
      void serve(request as Parameters<typeof serve>[0], response);
    },
    {
      ...options,
      maxConnections: places,
      unready: () => draining.unready() ?? options.unready?.(),
      onCheck: (request, response) => draining.follow(request, response),
    },
  );
  return {
    server,
    handler,
    drain: () => draining.drain(),
    close: async () => {
      server.close();
      await handler.close();
      server.closeAllConnections();
    },
  };
}

/** Node keeps headers until the first byte of a body, which on a stream without news takes 15 s to come. */
function flushHeadersEarly(response: ServerResponse): void {
  const writeHead = response.writeHead.bind(response);
  response.writeHead = (...args: unknown[]): ServerResponse => {
    Reflect.apply(writeHead, response, args);
    response.flushHeaders();
    return response;
  };
}
