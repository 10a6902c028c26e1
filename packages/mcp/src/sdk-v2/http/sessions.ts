import { randomUUID } from 'node:crypto';
import type { McpHandlerRequestOptions, McpServerFactory } from '@modelcontextprotocol/server';
import { systemClock, type Clock, type Timer } from '@rootward/core';
import { RootwardMcpError } from '../../error.js';
import { describePrincipal } from '../../context/principal.js';
import type { LimitCounters } from '../../store/principal-limits.js';
import { LiveSession, type SessionOwner } from './live-session.js';
import { METHODS, methodNotAllowed, sessionNotFound, sessionRequired, tooManySessions } from './responses.js';
import { SessionEventStore } from './session-event-store.js';
import { makeRecord, type SessionRecord } from './session-record.js';
import type { SessionsOptions } from './sessions-options.js';
import { Sharing } from './sharing.js';

/** A session that this process knows. */
interface Session {
  readonly principal: string;
  usedAt: number;
  /** Undefined while it is parked. */
  live: LiveSession | undefined;
  /** What it goes on with after that. */
  parked: SessionRecord | undefined;
  /** It is getting a server. */
  opening: Promise<LiveSession> | undefined;
}

const IDLE_MS = 30 * 60_000;
const SHARED_PARK_MS = 60_000;
const MAX_SESSIONS = 10_000;
/** A request that follows at once should find its server. */
const CROWDED_PARK_MS = 1000;
const SESSION_HEADER = 'mcp-session-id';

/**
 * The sessions of legacy clients over HTTP, each with a server and a transport of its own. A session belongs to the
 * principal that opened it; to anyone else it does not exist.
 */
export class Sessions {
  readonly #factory: McpServerFactory;
  readonly #options: SessionsOptions;
  readonly #clock: Clock;
  readonly #limits: LimitCounters | undefined;
  readonly #sharing: Sharing | undefined;
  readonly #owner: SessionOwner = {
    received: (live, message) => this.#sharing?.received(live, message) ?? true,
    answering: (live) => this.#sharing?.answering(live),
    answered: (live) => this.#touch(live),
    replaying: (act) => this.#sharing?.replaying(act) ?? act(),
  };
  /** Least recently used first. */
  readonly #sessions = new Map<string, Session>();
  #sweep: Timer | undefined;
  /** When it comes. */
  #sweepAt = 0;
  /** Sessions that have a server. */
  #serving = 0;
  /** Sessions that are being opened. */
  #opening = 0;
  #closed = false;

  constructor(
    factory: McpServerFactory,
    options: SessionsOptions & { readonly onerror?: ((error: Error) => void) | undefined } = {},
    limits?: LimitCounters,
  ) {
    this.#factory = factory;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#limits = limits;
    const { sessionStore, keepAliveMs, onerror } = options;
    if (sessionStore !== undefined) {
      this.#sharing = new Sharing(sessionStore, {
        ttl: this.#idle,
        clock: this.#clock,
        keepAliveMs,
        end: (live) => this.#end(live),
        onerror: (error) => onerror?.(error instanceof Error ? error : new Error(String(error))),
      });
    }
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
    const principal = describePrincipal(options.authInfo);
    const name = this.#sharing?.nameOf(principal, id) ?? '';
    const record = await this.#sharing?.read(name);
    const session = this.#sessions.get(id);
    if (this.#sharing !== undefined && record === undefined) {
      if (session?.live?.principal === principal) this.#end(session.live);
      return sessionNotFound();
    }
    if (session === undefined ? record === undefined : session.principal !== principal) {
      return sessionNotFound();
    }
    const live = await this.#liveOf(id, session, record, request, options);
    live.arriving += 1;
    try {
      return await this.#serveIn(live, id, record, request, options);
    } finally {
      live.arriving -= 1;
    }
  }

  async #serveIn(
    live: LiveSession,
    id: string,
    record: SessionRecord | undefined,
    request: Request,
    options: McpHandlerRequestOptions,
  ): Promise<Response> {
    const { principal } = live;
    if (record !== undefined && !live.knows(record)) {
      await live.inTurn(() => live.catchUp(record, options.authInfo));
    }
    if ((await this.#limits?.claimSession(principal, id, this.#idle)) === false) return tooManySessions();
    if (request.method === 'DELETE') {
      this.#giveBack(id, principal);
      await this.#sharing?.remove(live);
    }
    return this.#serve(live, request, options);
  }

  /** Ends the sessions that this is true of. */
  endWhere(isOver: (id: string, principal: string) => boolean): void {
    for (const [id, { principal, live }] of this.#sessions) {
      if (!isOver(id, principal)) continue;
      this.#sessions.delete(id);
      this.#giveBack(id, principal);
      if (live !== undefined) this.#end(live);
    }
  }

  /** Sessions that are shared go on elsewhere; all others end. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#sweep?.clear();
    this.#sweep = undefined;
    const open = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all(open.map(async ({ live }) => live?.close()));
    await this.#sharing?.close();
  }

  get #idle(): number {
    return this.#options.sessionIdleTimeout ?? IDLE_MS;
  }

  get #parkAfter(): number {
    return this.#options.parkAfter ?? (this.#sharing === undefined ? this.#idle : SHARED_PARK_MS);
  }

  get #maxResting(): number {
    return this.#options.maxResting ?? Infinity;
  }

  async #admit(request: Request, options: McpHandlerRequestOptions): Promise<Response> {
    const principal = describePrincipal(options.authInfo);
    const id = randomUUID();
    await this.#sharing?.requireReady();
    if ((await this.#limits?.claimSession(principal, id, this.#idle)) === false) return tooManySessions();
    try {
      return await this.#open(id, principal, request, options);
    } finally {
      if (!this.#sessions.has(id)) this.#giveBack(id, principal);
    }
  }

  async #open(
    id: string,
    principal: string,
    request: Request,
    options: McpHandlerRequestOptions,
  ): Promise<Response> {
    if (!this.#makeRoom(principal)) return tooManySessions();
    this.#opening += 1;
    try {
      const live = await this.#connect(id, principal, request, options);
      const response = await this.#serve(live, request, options);
      await this.#requireOpen(live);
      // The transport refuses anything but `initialize`; then there is no session, and the server is not kept.
      if (live.id === undefined) await live.close();
      return response;
    } finally {
      this.#opening -= 1;
    }
  }

  async #connect(
    id: string,
    principal: string,
    request: Request,
    { authInfo }: McpHandlerRequestOptions,
  ): Promise<LiveSession> {
    const { jsonResponse, eventStore, maxRequestBodySize, keepAliveMs } = this.#options;
    const sharing = this.#sharing;
    const own = eventStore === undefined ? undefined : new SessionEventStore(eventStore);
    const name = sharing?.nameOf(principal, id) ?? '';
    const events = sharing?.eventStore(name) ?? own;
    const live = await LiveSession.open({
      factory: this.#factory,
      request,
      authInfo,
      principal,
      name,
      ids: sharing?.ids,
      owner: this.#owner,
      transport: (session) => ({
        sessionIdGenerator: () => id,
        onsessioninitialized: () => this.#keep(id, session),
        ...(jsonResponse !== undefined && { enableJsonResponse: jsonResponse }),
        ...(events !== undefined && { eventStore: events }),
        ...(maxRequestBodySize !== undefined && { maxRequestBodySize }),
        ...(keepAliveMs !== undefined && { keepAliveMs }),
      }),
    });
    live.transport.onclose = () => this.#forget(live);
    await this.#requireOpen(live);
    sharing?.opened(live);
    await live.connect();
    return live;
  }

  /** The server of a session, made anew where it is parked or comes from another process. */
  async #liveOf(
    id: string,
    known: Session | undefined,
    shared: SessionRecord | undefined,
    request: Request,
    options: McpHandlerRequestOptions,
  ): Promise<LiveSession> {
    const principal = describePrincipal(options.authInfo);
    const session = known ?? { principal, usedAt: 0, live: undefined, parked: undefined, opening: undefined };
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    // It has a server before that server knows everything.
    if (session.opening !== undefined) return session.opening;
    if (session.live !== undefined) return session.live;
    session.opening = this.#restore(id, shared ?? session.parked, request, options);
    try {
      const live = await session.opening;
      session.parked = undefined;
      return live;
    } catch (error) {
      session.live = undefined;
      if (known === undefined) this.#sessions.delete(id);
      throw error;
    } finally {
      session.opening = undefined;
    }
  }

  async #restore(
    id: string,
    record: SessionRecord | undefined,
    request: Request,
    options: McpHandlerRequestOptions,
  ): Promise<LiveSession> {
    const live = await this.#connect(id, describePrincipal(options.authInfo), request, options);
    if (record !== undefined) await live.replay(id, record, options.authInfo);
    return live;
  }

  /** `close()` does not know of a session that is still being opened. */
  async #requireOpen(live: LiveSession): Promise<void> {
    if (!this.#closed) return;
    await live.close();
    throw new RootwardMcpError('closed', 'Cannot open a session: the handler is closed');
  }

  async #serve(live: LiveSession, request: Request, options: McpHandlerRequestOptions): Promise<Response> {
    const { authInfo, parsedBody } = options;
    this.#touch(live);
    const handle = (): Promise<Response> =>
      live.transport.handleRequest(request, {
        ...(authInfo !== undefined && { authInfo }),
        ...(parsedBody !== undefined && { parsedBody }),
      });
    if (this.#sharing !== undefined && request.method !== 'DELETE') {
      return this.#sharing.serve(live, request, handle, () => this.#touch(live));
    }
    const response = await handle();
    if (request.method !== 'GET' || !response.ok) return response;
    return live.listen(request, response, () => this.#touch(live));
  }

  #touch({ id = '' }: LiveSession): void {
    const session = this.#sessions.get(id);
    if (session !== undefined) session.usedAt = this.#clock.now();
  }

  #keep(id: string, live: LiveSession): void {
    const { principal } = live;
    const session = this.#sessions.get(id) ?? { principal, parked: undefined, opening: undefined };
    this.#sessions.set(id, Object.assign(session, { live, usedAt: this.#clock.now() }));
    this.#serving += 1;
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
      for (const [id, session] of this.#sessions) {
        if (!isFull()) return true;
        if (isIdle(session) && mayEnd(session.principal)) this.#drop(id, session);
      }
    }
    return !isFull();
  }

  #scheduleSweep(): void {
    if (this.#sessions.size === 0) return;
    const isCrowded = this.#serving > this.#maxResting;
    const wait = Math.min(this.#idle, this.#parkAfter, isCrowded ? CROWDED_PARK_MS : Infinity);
    const at = this.#clock.now() + wait;
    if (this.#sweep !== undefined && this.#sweepAt <= at) return;
    this.#sweep?.clear();
    this.#sweepAt = at;
    this.#sweep = this.#clock.setTimeout(() => {
      this.#sweep = undefined;
      this.#sweepSessions();
      this.#scheduleSweep();
    }, wait);
  }

  #sweepSessions(): void {
    const now = this.#clock.now();
    let surplus = -this.#maxResting;
    this.#serving = 0;
    for (const [id, { live, principal }] of this.#sessions) {
      if (live === undefined) continue;
      this.#serving += 1;
      if (live.isIdle) surplus += 1;
      // Nobody else gets the place of a client that only listens.
      else this.#limits?.claimSession(principal, id, this.#idle).catch(ignore);
    }
    // Least recently used first.
    for (const [id, session] of this.#sessions) {
      if (!isIdle(session)) continue;
      const isSurplus = session.live !== undefined && surplus > 0;
      const parkAfter = isSurplus ? CROWDED_PARK_MS : this.#parkAfter;
      if (isSurplus) surplus -= 1;
      if (session.usedAt <= now - this.#idle) this.#drop(id, session);
      else if (session.usedAt <= now - parkAfter) this.#park(id, session);
    }
  }

  /** Gives the server of a session back. One that is shared is in the store, and need not be known here. */
  #park(id: string, session: Session): void {
    const { live } = session;
    if (live === undefined) return;
    if (this.#sharing !== undefined) {
      this.#drop(id, session);
      return;
    }
    session.parked = makeRecord(0, live.fields());
    session.live = undefined;
    this.#serving -= 1;
    void live.close();
  }

  #drop(id: string, { live }: Session): void {
    this.#sessions.delete(id);
    void live?.close();
  }

  /** Its place among the sessions of its principal. Where the store is down, it expires. */
  #giveBack(id: string, principal: string): void {
    this.#limits?.releaseSession(principal, id).catch(ignore);
  }

  #end(live: LiveSession): void {
    this.#forget(live);
    void live.close();
  }

  #forget(live: LiveSession): void {
    this.#sharing?.forget(live);
    if (live.id !== undefined && this.#sessions.get(live.id)?.live === live) this.#sessions.delete(live.id);
  }
}

function ignore(): void {
  // There is nobody to tell.
}

function isIdle({ live, opening }: Session): boolean {
  return opening === undefined && (live === undefined || live.isIdle);
}
