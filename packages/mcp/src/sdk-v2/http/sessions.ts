import { randomUUID } from 'node:crypto';
import type { McpHandlerRequestOptions, McpServerFactory } from '@modelcontextprotocol/server';
import { systemClock, type Clock } from '@rootward/core';
import { RootwardMcpError } from '../../error.js';
import { describePrincipal } from '../../context/principal.js';
import type { LimitCounters } from '../../store/principal-limits.js';
import { EarliestTimer } from './earliest-timer.js';
import { isForStream } from './sharing/event-stream.js';
import { ignore } from './ignore.js';
import { LiveSession, type SessionOwner } from './live-session.js';
import { readOpening } from './opening-request.js';
import { METHODS, methodNotAllowed, sessionNotFound, sessionRequired } from './responses.js';
import { openingTooLarge, tooManySessions } from './responses.js';
import { makeSession, type Session } from './session-entry.js';
import { CROWDED_PARK_MS, sortSessions } from './sort-sessions.js';
import { SessionEventStore } from './session-event-store.js';
import { makeRecord, type SessionRecord } from './session-record.js';
import { keepingOf, transportOptions, type Keeping, type SessionsOptions } from './sessions-options.js';
import { Sharing } from './sharing.js';

/**
 * The sessions of legacy clients over HTTP, each with a server and a transport of its own. A session belongs to the
 * principal that opened it; to anyone else it does not exist.
 */
export class Sessions {
  readonly #factory: McpServerFactory;
  readonly #options: SessionsOptions;
  readonly #keeping: Keeping;
  readonly #clock: Clock;
  readonly #limits: LimitCounters | undefined;
  readonly #sharing: Sharing | undefined;
  readonly #owner: SessionOwner = {
    received: (live, message) => this.#sharing?.received(live, message) ?? true,
    answering: (live) => this.#sharing?.answering(live),
    answered: ({ id = '' }) => this.#touch(id),
    replaying: (act) => this.#sharing?.replaying(act) ?? act(),
  };
  /** Least recently used first. */
  readonly #sessions = new Map<string, Session>();
  readonly #sweep: EarliestTimer;
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
    this.#keeping = keepingOf(options);
    this.#clock = options.clock ?? systemClock;
    this.#limits = limits;
    this.#sweep = new EarliestTimer(this.#clock, () => {
      this.#sweepSessions();
      this.#scheduleSweep();
    });
    const { sessionStore, keepAliveMs, onerror } = options;
    if (sessionStore === undefined) return;
    this.#sharing = new Sharing(sessionStore, {
      ttl: this.#keeping.idle,
      clock: this.#clock,
      keepAliveMs,
      end: (live) => this.#end(live),
      onLost: ({ id = '', principal }) => this.giveBack(id, principal),
      onerror: (error) => onerror?.(error instanceof Error ? error : new Error(String(error))),
    });
  }

  get size(): number {
    return this.#sessions.size;
  }

  async fetch(request: Request, options: McpHandlerRequestOptions = {}): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    if (id === null) {
      if (request.method === 'POST') return this.#admit(request, options);
      return METHODS.has(request.method) ? sessionRequired() : methodNotAllowed();
    }
    const principal = describePrincipal(options.authInfo);
    const sharing = this.#sharing;
    const name = sharing?.nameOf(principal, id) ?? '';
    const record = await sharing?.read(name);
    const session = this.#sessions.get(id);
    if (sharing !== undefined && record === undefined) {
      sharing.endStreams(name);
      if (session?.live?.principal === principal) this.#end(session.live);
      return sessionNotFound();
    }
    const isTheirs = session === undefined ? record !== undefined : session.principal === principal;
    if (!isTheirs) return sessionNotFound();
    if (session === undefined && !this.#makeRoom(principal)) return tooManySessions();
    if (sharing !== undefined && record !== undefined && isForStream(request)) {
      return this.#listen(sharing, id, record, request, options);
    }
    const live = await this.#liveOf(id, session, record, request, options);
    live.arriving += 1;
    try {
      return await this.#serveIn(live, id, record, request, options);
    } finally {
      live.arriving -= 1;
    }
  }

  /** A client that only listens gets what is in the store at once, and a server when there is time for it. */
  async #listen(
    sharing: Sharing,
    id: string,
    record: SessionRecord,
    request: Request,
    options: McpHandlerRequestOptions,
  ): Promise<Response> {
    const principal = describePrincipal(options.authInfo);
    if ((await this.#limits?.claimSession(principal, id, this.#keeping.idle)) === false)
      return tooManySessions();
    if (this.#closed) throw handlerClosed();
    const name = sharing.nameOf(principal, id);
    const session = this.#sessions.get(id) ?? makeSession(principal, name);
    this.#sessions.set(id, session);
    this.#touch(id);
    this.#scheduleSweep();
    const response = await sharing.listen(name, { id, principal }, request, () => this.#touch(id));
    if (session.isOver) return sessionNotFound();
    if (!response.ok || session.live !== undefined) return response;
    sharing.wakeLater(name, record, async (found) => {
      if (!session.isOver) await this.#liveOf(id, this.#sessions.get(id), found, request, options);
    });
    return response;
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
    if ((await this.#limits?.claimSession(principal, id, this.#keeping.idle)) === false)
      return tooManySessions();
    if (request.method === 'DELETE') {
      this.giveBack(id, principal);
      await this.#sharing?.remove(live);
    }
    return this.#serve(live, request, options);
  }

  /** Its place among the sessions of its principal. Where the store is down, it expires. */
  giveBack(id: string, principal: string): void {
    this.#limits?.releaseSession(principal, id).catch(ignore);
  }

  /** Ends the sessions that this is true of. */
  endWhere(isOver: (id: string, principal: string) => boolean): void {
    for (const [id, session] of this.#sessions) {
      const { principal, live } = session;
      if (!isOver(id, principal)) continue;
      session.isOver = true;
      this.#sessions.delete(id);
      this.giveBack(id, principal);
      if (live !== undefined) this.#end(live);
    }
    this.#sharing?.endStreamsWhere(({ id, principal }) => isOver(id, principal));
  }

  /** Sessions that are shared go on elsewhere; all others end. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#sweep.clear();
    const open = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all([this.#sharing?.close(), ...open.map(async ({ live }) => live?.close())]);
  }

  async #admit(came: Request, options: McpHandlerRequestOptions): Promise<Response> {
    const request = await readOpening(came, options.parsedBody);
    if (request === undefined) return openingTooLarge();
    const principal = describePrincipal(options.authInfo);
    const id = randomUUID();
    await this.#sharing?.requireReady();
    if ((await this.#limits?.claimSession(principal, id, this.#keeping.idle)) === false)
      return tooManySessions();
    try {
      return await this.#open(id, principal, request, options);
    } finally {
      if (!this.#sessions.has(id)) this.giveBack(id, principal);
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
    const { eventStore } = this.#options;
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
        ...transportOptions(this.#options, events),
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
    const session = known ?? makeSession(principal, this.#sharing?.nameOf(principal, id) ?? '');
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    // It has a server before that server knows everything.
    if (session.opening !== undefined) return session.opening;
    if (session.live !== undefined) return session.live;
    session.opening = this.#restore(id, shared ?? session.parked, request, options);
    try {
      const live = await session.opening;
      session.parked = undefined;
      if (session.isOver) await live.close();
      return live;
    } catch (error) {
      session.live = undefined;
      if (known === undefined && this.#sharing?.isHeard(session.name) !== true) this.#sessions.delete(id);
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
    throw handlerClosed();
  }

  async #serve(live: LiveSession, request: Request, options: McpHandlerRequestOptions): Promise<Response> {
    const { authInfo, parsedBody } = options;
    const { id = '' } = live;
    this.#touch(id);
    const handle = (): Promise<Response> =>
      live.transport.handleRequest(request, {
        ...(authInfo !== undefined && { authInfo }),
        ...(parsedBody !== undefined && { parsedBody }),
      });
    if (this.#sharing !== undefined) return this.#sharing.serve(request, handle);
    const response = await handle();
    if (request.method !== 'GET' || !response.ok) return response;
    return live.listen(request, response, () => this.#touch(id));
  }

  #touch(id: string): void {
    const session = this.#sessions.get(id);
    if (session !== undefined) session.usedAt = this.#clock.now();
  }

  #keep(id: string, live: LiveSession): void {
    const session = this.#sessions.get(id) ?? makeSession(live.principal, live.name);
    this.#sessions.set(id, Object.assign(session, { live, usedAt: this.#clock.now() }));
    this.#serving += 1;
    this.#scheduleSweep();
  }

  /**
   * Drops idle sessions where there are too many, those of the same principal first: one that opens thousands drops its
   * own. They end, unless they are shared. False where all of them are in use.
   */
  #makeRoom(principal: string): boolean {
    const isFull = (): boolean => this.#sessions.size + this.#opening >= this.#keeping.maxSessions;
    for (const mayEnd of [(owner: string) => owner === principal, () => true]) {
      for (const [id, session] of this.#sessions) {
        if (!isFull()) return true;
        if (this.#isIdle(session) && mayEnd(session.principal)) this.#drop(id, session);
      }
    }
    return !isFull();
  }

  #scheduleSweep(): void {
    if (this.#sessions.size === 0) return;
    const isCrowded = this.#serving > this.#keeping.maxResting;
    this.#sweep.set(
      Math.min(this.#keeping.idle, this.#keeping.parkAfter, isCrowded ? CROWDED_PARK_MS : Infinity),
    );
  }

  #sweepSessions(): void {
    const isIdle = (session: Session): boolean => this.#isIdle(session);
    const { busy, serving, overdue } = sortSessions(this.#sessions, isIdle, this.#clock.now(), this.#keeping);
    this.#serving = serving;
    // Nobody else gets the place of a client that only listens.
    for (const [id, { principal }] of busy) {
      this.#limits?.claimSession(principal, id, this.#keeping.idle).catch(ignore);
    }
    for (const [id, session, end] of overdue) {
      if (end === 'drop') this.#drop(id, session);
      else this.#park(id, session);
    }
  }

  /** Gives the server of a session back. One that is shared is in the store, and need not be known here. */
  #park(id: string, session: Session): void {
    const { live } = session;
    if (this.#sharing !== undefined) this.#drop(id, session);
    if (this.#sharing !== undefined || live === undefined) return;
    session.parked = makeRecord(0, live.fields());
    session.live = undefined;
    this.#serving -= 1;
    void live.close();
  }

  #drop(id: string, session: Session): void {
    const { live } = session;
    this.#sessions.delete(id);
    session.live = undefined;
    // One that is shared goes on elsewhere.
    if (this.#sharing === undefined) this.giveBack(id, session.principal);
    void live?.close();
  }

  #isIdle({ live, opening, name }: Session): boolean {
    const isHeard = this.#sharing?.isHeard(name) ?? false;
    return opening === undefined && !isHeard && (live === undefined || live.isIdle);
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

function handlerClosed(): RootwardMcpError {
  return new RootwardMcpError('closed', 'Cannot open a session: the handler is closed');
}
