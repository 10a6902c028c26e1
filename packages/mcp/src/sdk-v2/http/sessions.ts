import { randomUUID } from 'node:crypto';
import type {
  EventStore,
  McpHandlerRequestOptions,
  McpServer,
  McpServerFactory,
  Server,
} from '@modelcontextprotocol/server';
import { systemClock } from '@rootward/core';
import type { Clock, Timer } from '@rootward/core';
import { RootwardMcpError } from '../../error.js';
import { describePrincipal } from '../../context/principal.js';
import { SessionEventStore } from './session-event-store.js';
import { SessionTransport } from './session-transport.js';

/** How sessions of legacy clients over HTTP are kept. */
export interface SessionsOptions {
  /** Answer legacy clients with plain JSON instead of streams. They can then not be asked for roots. */
  readonly jsonResponse?: boolean;
  /** Lets clients resume streams that broke off. One for all sessions; each gets its own events back, and no others. */
  readonly eventStore?: EventStore;
  readonly maxRequestBodySize?: number;
  /** How often a stream without news says that it is there, in milliseconds; 0 for never. */
  readonly keepAliveMs?: number;
  /** A session in which nothing happens, and that nobody listens to, for so long is closed. In milliseconds. */
  readonly sessionIdleTimeout?: number;
  /** Beyond this many, the session that was idle longest makes room; where none is idle, a new one is refused. */
  readonly maxSessions?: number;
  readonly clock?: Clock;
}

interface Session {
  readonly transport: SessionTransport;
  readonly server: McpServer | Server;
  readonly principal: string;
  /** GET streams that are open. */
  listening: number;
  usedAt: number;
}

const IDLE_MS = 30 * 60_000;
const MAX_SESSIONS = 10_000;
const RETRY_AFTER_SECONDS = 5;
const SESSION_HEADER = 'mcp-session-id';
const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'DELETE']);
const SESSION_NOT_FOUND = -32_001;
const BAD_REQUEST = -32_000;

/**
 * The sessions of legacy clients over HTTP, each with a server and a transport of its own. A session belongs to the
 * principal that opened it; to anyone else it does not exist.
 */
export class Sessions {
  readonly #factory: McpServerFactory;
  readonly #options: SessionsOptions;
  readonly #clock: Clock;
  /** Least recently used first. */
  readonly #sessions = new Map<string, Session>();
  #sweep: Timer | undefined;
  /** Sessions that are being opened. */
  #opening = 0;
  #closed = false;

  constructor(factory: McpServerFactory, options: SessionsOptions = {}) {
    this.#factory = factory;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  get size(): number {
    return this.#sessions.size;
  }

  async fetch(request: Request, options: McpHandlerRequestOptions = {}): Promise<Response> {
    const id = request.headers.get(SESSION_HEADER);
    if (id === null) {
      if (request.method === 'POST') return this.#admit(request, options);
      return METHODS.has(request.method) ? sessionRequired() : methodNotAllowed();
    }
    const session = this.#sessions.get(id);
    if (session === undefined || session.principal !== describePrincipal(options.authInfo)) {
      return sessionNotFound();
    }
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    return this.#serve(session, request, options);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#sweep?.clear();
    this.#sweep = undefined;
    const open = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all(open.map(({ server }) => server.close()));
  }

  async #admit(request: Request, options: McpHandlerRequestOptions): Promise<Response> {
    if (!this.#makeRoom(describePrincipal(options.authInfo))) return tooManySessions();
    this.#opening += 1;
    try {
      return await this.#open(request, options);
    } finally {
      this.#opening -= 1;
    }
  }

  /** The transport refuses anything but `initialize`; then there is no session, and the server is not kept. */
  async #open(request: Request, options: McpHandlerRequestOptions): Promise<Response> {
    const { authInfo } = options;
    const { jsonResponse, eventStore, maxRequestBodySize, keepAliveMs } = this.#options;
    const transport = new SessionTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => this.#keep(id, session),
      ...(jsonResponse !== undefined && { enableJsonResponse: jsonResponse }),
      ...(eventStore !== undefined && { eventStore: new SessionEventStore(eventStore) }),
      ...(maxRequestBodySize !== undefined && { maxRequestBodySize }),
      ...(keepAliveMs !== undefined && { keepAliveMs }),
    });
    transport.onclose = () => this.#forget(session);
    const server = await this.#factory({
      era: 'legacy',
      requestInfo: request,
      ...(authInfo !== undefined && { authInfo }),
    });
    await this.#requireOpen(server);
    const session: Session = {
      transport,
      server,
      principal: describePrincipal(authInfo),
      listening: 0,
      usedAt: this.#clock.now(),
    };
    await server.connect(transport);
    transport.watchRequests(() => this.#touch(session));
    const response = await this.#serve(session, request, options);
    await this.#requireOpen(server);
    if (transport.sessionId === undefined) await server.close();
    return response;
  }

  /** `close()` does not know of a session that is still being opened. */
  async #requireOpen(server: Session['server']): Promise<void> {
    if (!this.#closed) return;
    await server.close();
    throw new RootwardMcpError('closed', 'Cannot open a session: the handler is closed');
  }

  async #serve(session: Session, request: Request, options: McpHandlerRequestOptions): Promise<Response> {
    const { authInfo, parsedBody } = options;
    this.#touch(session);
    const response = await session.transport.handleRequest(request, {
      ...(authInfo !== undefined && { authInfo }),
      ...(parsedBody !== undefined && { parsedBody }),
    });
    return request.method === 'GET' && response.ok ? this.#listen(session, request, response) : response;
  }

  /**
   * A stream counts until either side ends it. It is taken from the transport as soon as its client goes away: whoever
   * writes it out notices only with the next event, and until then the client could not come back.
   */
  #listen(session: Session, { signal }: Request, response: Response): Response {
    if (response.body === null) return response;
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const end = (): void => {
      session.listening -= 1;
      this.#touch(session);
    };
    session.listening += 1;
    response.body.pipeTo(writable, { signal }).then(end, end);
    return new Response(readable, response);
  }

  #touch(session: Session): void {
    session.usedAt = this.#clock.now();
  }

  #keep(id: string, session: Session): void {
    this.#sessions.set(id, session);
    this.#scheduleSweep();
  }

  /**
   * Ends idle sessions where there are too many, those of the same principal first: one that opens thousands ends its
   * own. False where all of them are in use.
   */
  #makeRoom(principal: string): boolean {
    const limit = this.#options.maxSessions ?? MAX_SESSIONS;
    const isFull = (): boolean => this.#sessions.size + this.#opening >= limit;
    for (const mayEnd of [(owner: string) => owner === principal, () => true]) {
      for (const session of this.#sessions.values()) {
        if (!isFull()) return true;
        if (isIdle(session) && mayEnd(session.principal)) this.#end(session);
      }
    }
    return !isFull();
  }

  #scheduleSweep(): void {
    if (this.#sweep !== undefined || this.#sessions.size === 0) return;
    const idle = this.#options.sessionIdleTimeout ?? IDLE_MS;
    this.#sweep = this.#clock.setTimeout(() => {
      this.#sweep = undefined;
      const limit = this.#clock.now() - idle;
      for (const session of this.#sessions.values()) {
        if (isIdle(session) && session.usedAt <= limit) this.#end(session);
      }
      this.#scheduleSweep();
    }, idle);
  }

  #end(session: Session): void {
    this.#forget(session);
    void session.server.close();
  }

  #forget({ transport }: Session): void {
    if (transport.sessionId !== undefined) this.#sessions.delete(transport.sessionId);
  }
}

function isIdle({ listening, transport }: Session): boolean {
  return listening === 0 && !transport.isBusy;
}

function sessionNotFound(): Response {
  return failure(404, SESSION_NOT_FOUND, 'Session not found');
}

function sessionRequired(): Response {
  return failure(400, BAD_REQUEST, 'Bad Request: Mcp-Session-Id header is required');
}

function tooManySessions(): Response {
  const response = failure(503, BAD_REQUEST, 'Too many sessions');
  response.headers.set('Retry-After', String(RETRY_AFTER_SECONDS));
  return response;
}

function methodNotAllowed(): Response {
  const response = failure(405, BAD_REQUEST, 'Method not allowed.');
  response.headers.set('Allow', [...METHODS].join(', '));
  return response;
}

function failure(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status });
}
