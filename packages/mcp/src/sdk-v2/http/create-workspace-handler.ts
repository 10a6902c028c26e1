import { createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server';
import type {
  CreateMcpHandlerOptions,
  McpHandlerRequestOptions,
  McpHttpHandler,
  McpServerFactory,
} from '@modelcontextprotocol/server';
import { describePrincipal } from '../../context/principal.js';
import { MemoryStore } from '../../store/memory-store.js';
import { partiesOf } from '../../store/parties.js';
import { BYTES_WAIT, LimitCounters, type PrincipalLimits } from '../../store/principal-limits.js';
import { Revocations } from '../../store/revocations.js';
import { OpenRequests } from './open-requests.js';
import { readOnce } from './read-once.js';
import { batchTooLarge, overLimit, principalRevoked, sessionNotFound, storeFailure } from './responses.js';
import { Sessions } from './sessions.js';
import type { SessionsOptions } from './sessions-options.js';

/** Options of `createWorkspaceHandler`: those of its sessions, and those of the SDK's `createMcpHandler`. */
export interface WorkspaceHandlerOptions
  extends SessionsOptions, Omit<CreateMcpHandlerOptions, 'legacy' | keyof SessionsOptions> {
  /** How much one principal may use, over all processes that share the `sessionStore`. */
  readonly limits?: PrincipalLimits;
  /** What was revoked; by default what the `sessionStore` says. Pass it to `prepareWorkspace`, too, for handles. */
  readonly revocations?: Revocations;
}

/** What the client is told about an internal error: only that there was one. */
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
  const { maxRequestBodySize, sessionStore, limits } = options;
  const report = (error: unknown): void =>
    options.onerror?.(error instanceof Error ? error : new Error(String(error)));
  const modern = createMcpHandler(factory, { ...modernOptions(options), legacy: 'reject' });
  const counters =
    limits === undefined ? undefined : new LimitCounters(sessionStore ?? new MemoryStore(), limits);
  const revocations =
    options.revocations ?? (sessionStore === undefined ? undefined : new Revocations(sessionStore, report));
  const sessions = new Sessions(factory, options, report, counters);
  const open = new OpenRequests();
  const endRevoked = (): void => {
    if (revocations === undefined) return;
    sessions.endWhere((id, owner) => revocations.isRevoked('session', id) || isOut(revocations, owner));
    open.endWhere((owner) => isOut(revocations, owner));
  };
  const watching = revocations?.onDidChange(endRevoked);
  const refusal = (principal: string, session: string | null): Response | undefined => {
    if (revocations !== undefined && isOut(revocations, principal)) return principalRevoked();
    if (session === null || revocations?.isRevoked('session', session) !== true) return undefined;
    // No process may have had it in memory when it was revoked.
    sessions.giveBack(session, principal);
    return sessionNotFound();
  };
  const limit = maxRequestBodySize === undefined ? {} : { maxRequestBodySize };
  const answer = async (came: Request, how: McpHandlerRequestOptions): Promise<Response> => {
    const { request, given } = await readOnce(came, how, maxRequestBodySize);
    const most = counters?.batchLimit(given.parsedBody);
    if (most !== undefined) return batchTooLarge(most);
    const wait = await counters?.admitBatch(describePrincipal(given.authInfo), given.parsedBody);
    if (wait !== undefined) return overLimit(wait);
    const legacy = await isLegacyRequest(request, given.parsedBody, limit);
    if (legacy) return sessions.fetch(request, given);
    if (revocations === undefined) return modern.fetch(request, given);
    const principal = describePrincipal(given.authInfo);
    return revocations.serve(() => open.serve(principal, request, (each) => modern.fetch(each, given)));
  };
  const serve: McpHttpHandler['fetch'] = async (request, given = {}) => {
    const principal = describePrincipal(given.authInfo);
    const session = request.headers.get('mcp-session-id');
    // Whoever has neither has nothing that could have been revoked: handles are looked up where they are read.
    if (principal !== '' || session !== null) await revocations?.requireRead();
    const refused = refusal(principal, session);
    if (refused !== undefined) return refused;
    if (counters === undefined) return answer(request, given);
    const said = sizeOf(request, given.parsedBody);
    const wait = await counters.admit(principal, said ?? 0);
    if (wait !== undefined) return overLimit(wait);
    const { request: metered, isOver } =
      said === undefined ? counters.meteredRequest(principal, request) : { request, isOver: () => false };
    try {
      const response = await answer(metered, given);
      return isOver() ? overLimit(BYTES_WAIT) : counters.metered(principal, response, report);
    } catch (error) {
      if (isOver()) return overLimit(BYTES_WAIT);
      throw error;
    }
  };
  return {
    notify: modern.notify,
    bus: modern.bus,
    get sessions() {
      return sessions.size;
    },
    fetch: async (request, given = {}) => {
      try {
        const response = await serve(request, given);
        const session = request.headers.get('mcp-session-id');
        const late = refusal(describePrincipal(given.authInfo), session);
        if (late === undefined) return response;
        // Revoked while it was served: what it opened was not there yet to be ended.
        endRevoked();
        void response.body?.cancel().catch(() => undefined);
        return late;
      } catch (error) {
        report(error);
        return storeFailure(error) ?? Response.json(INTERNAL_ERROR, { status: 500 });
      }
    },
    close: async () => {
      watching?.dispose();
      if (options.revocations === undefined) revocations?.dispose();
      await Promise.all([modern.close(), sessions.close()]);
    },
  };
}

/** The bytes of a request, where they are known before it is read: one that comes in chunks does not say. */
function sizeOf({ headers, body }: Request, parsedBody: unknown): number | undefined {
  const said = headers.get('content-length');
  if (said !== null && /^\d+$/.test(said)) return Number(said);
  // Somebody has read it before.
  if (parsedBody !== undefined) return Buffer.byteLength(JSON.stringify(parsedBody));
  return body === null ? 0 : undefined;
}

/** A principal is revoked by its client, or by its subject. */
function isOut(revocations: Revocations, principal: string): boolean {
  return partiesOf(principal).some((name) => name !== '' && revocations.isRevoked('principal', name));
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
