import { randomUUID } from 'node:crypto';
import type { McpHandlerRequestOptions, McpServerFactory } from '@modelcontextprotocol/server';
import { systemClock } from '@rootward/core';
import { describePrincipal } from '../../context/principal.js';
import type { LimitCounters } from '../../store/principal-limits.js';
import { isForStream } from './sharing/event-stream.js';
import { KnownSessions } from './known-sessions.js';
import { LiveSession, type SessionOwner } from './live-session.js';
import { readOpening } from './opening-request.js';
import {
  handlerClosed,
  METHODS,
  methodNotAllowed,
  sessionNotFound,
  sessionRequired,
  tooManySessions,
} from './responses.js';
import type { Session } from './session-entry.js';
import { SessionEventStore } from './session-event-store.js';
import type { SessionRecord } from './session-record.js';
import { keepingOf, transportOptions, type SessionsOptions } from './sessions-options.js';
import { Sharing } from './sharing.js';

/**
 * The sessions of legacy clients over HTTP, each with a server and a transport of its own. A session belongs to the
 * principal that opened it; to anyone else it does not exist.
 */
export class Sessions {
  readonly #factory: McpServerFactory;
  readonly #options: SessionsOptions;
  readonly #known: KnownSessions;
  readonly #sharing: Sharing | undefined;
  readonly #report: (error: unknown) => void;
  readonly #owner: SessionOwner = {
    received: (live, message) => this.#sharing?.received(live, message) ?? true,
    answering: (live) => this.#sharing?.answering(live),
    answered: ({ id = '' }) => this.#known.touch(id),
    replaying: (act) => this.#sharing?.replaying(act) ?? act(),
  };
  #closed = false;

  constructor(
    factory: McpServerFactory,
    options: SessionsOptions,
    report: (error: unknown) => void,
    limits?: LimitCounters,
  ) {
    this.#factory = factory;
    this.#options = options;
    this.#report = report;
    const { sessionStore, keepAliveMs, clock = systemClock } = options;
    const keeping = keepingOf(options);
    this.#known = new KnownSessions({
      keeping,
      clock,
      limits,
      isShared: sessionStore !== undefined,
      isHeard: (name) => this.#sharing?.isHeard(name) ?? false,
      close: (live) => this.#close(live),
    });
    if (sessionStore === undefined) return;
    this.#sharing = new Sharing(sessionStore, {
      ttl: keeping.idle,
      clock,
      keepAliveMs,
      end: (live) => this.#end(live),
      onLost: ({ id = '', principal }) => this.giveBack(id, principal),
      onerror: report,
    });
  }

  get size(): number {
    return this.#known.size;
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
    // Before it is looked for: whoever ends it gives its place back afterwards, and what is found has one till then.
    const hasPlace = await this.#known.claim(id, principal);
    const record = await sharing?.read(name);
    const session = this.#known.get(id);
    const isOver = sharing !== undefined && record === undefined;
    const isTheirs = session === undefined ? record !== undefined : session.principal === principal;
    if (isOver || !isTheirs) {
      if (isOver) sharing.endStreams(name);
      if (isOver && session?.live?.principal === principal) this.#end(session.live);
      this.giveBack(id, principal);
      return sessionNotFound();
    }
    if (!hasPlace) return tooManySessions();
    const entry = session ?? this.#enter(id, principal, name);
    if (entry === undefined) return tooManySessions();
    entry.arriving += 1;
    try {
      if (sharing !== undefined && record !== undefined && isForStream(request)) {
        return await this.#listen(sharing, id, entry, record, request, options);
      }
      const live = await this.#liveOf(id, entry, record, request, options);
      return await this.#serveIn(live, id, record, request, options);
    } catch (error) {
      // It ended while it was taken over, and its server was closed.
      if (sharing !== undefined && (await sharing.read(name)) === undefined) return sessionNotFound();
      throw error;
    } finally {
      entry.arriving -= 1;
      this.#known.removeEmpty(id, entry);
    }
  }

  /** A session that this process does not know yet has its place before anything is waited for. */
  #enter(id: string, principal: string, name: string): Session | undefined {
    if (this.#closed) throw handlerClosed();
    return this.#known.enter(id, principal, name);
  }

  /** A client that only listens gets what is in the store at once, and a server when there is time for it. */
  async #listen(
    sharing: Sharing,
    id: string,
    session: Session,
    record: SessionRecord,
    request: Request,
    options: McpHandlerRequestOptions,
  ): Promise<Response> {
    const { principal, name } = session;
    if (this.#closed) throw handlerClosed();
    this.#known.touch(id);
    const response = await sharing.listen(name, { id, principal }, request, () => this.#known.touch(id));
    if (session.isOver) return sessionNotFound();
    if (!response.ok || session.live !== undefined) return response;
    sharing.wakeLater(name, record, async (found) => {
      if (session.isOver) return;
      const entry = this.#known.get(id) ?? this.#enter(id, principal, name);
      if (entry !== undefined) await this.#liveOf(id, entry, found, request, options);
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
    if (record !== undefined && !live.knows(record)) {
      await live.inTurn(() => live.catchUp(record, options.authInfo));
    }
    if (request.method === 'DELETE') {
      await this.#sharing?.remove(live);
      this.giveBack(id, live.principal);
    }
    return this.#serve(live, request, options);
  }

  /** Its place among the sessions of its principal. Where the store is down, it expires. */
  giveBack(id: string, principal: string): void {
    this.#known.giveBack(id, principal);
  }

  /** Ends the sessions that this is true of. */
  endWhere(isOver: (id: string, principal: string) => boolean): void {
    for (const live of this.#known.endWhere(isOver)) this.#end(live);
    this.#sharing?.endStreamsWhere(({ id, principal }) => isOver(id, principal));
  }

  /** Sessions that are shared go on elsewhere; all others end. */
  async close(): Promise<void> {
    this.#closed = true;
    const open = this.#known.clear();
    await Promise.all([this.#sharing?.close(), ...open.map((live) => live.close())]);
  }

  async #admit(came: Request, options: McpHandlerRequestOptions): Promise<Response> {
    const request = await readOpening(came, options.parsedBody);
    if (request instanceof Response) return request;
    const principal = describePrincipal(options.authInfo);
    const id = randomUUID();
    await this.#sharing?.requireReady();
    if (!(await this.#known.claim(id, principal))) return tooManySessions();
    const open = (): Promise<Response> => this.#open(id, principal, request, options);
    try {
      return (await this.#known.opening(principal, open)) ?? tooManySessions();
    } finally {
      if (this.#known.get(id) === undefined) this.giveBack(id, principal);
    }
  }

  async #open(
    id: string,
    principal: string,
    request: Request,
    options: McpHandlerRequestOptions,
  ): Promise<Response> {
    const live = await this.#connect(id, principal, request, options);
    const response = await this.#serve(live, request, options);
    await this.#requireOpen(live);
    // The transport refuses anything but `initialize`; then there is no session, and the server is not kept.
    if (live.id === undefined) await live.close();
    return response;
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
        onsessioninitialized: () => this.#known.keep(id, session),
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
    session: Session,
    shared: SessionRecord | undefined,
    request: Request,
    options: McpHandlerRequestOptions,
  ): Promise<LiveSession> {
    this.#known.use(id, session);
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
    this.#known.touch(id);
    const handle = (): Promise<Response> =>
      live.transport.handleRequest(request, {
        ...(authInfo !== undefined && { authInfo }),
        ...(parsedBody !== undefined && { parsedBody }),
      });
    if (this.#sharing !== undefined) return this.#sharing.serve(request, handle);
    const response = await handle();
    if (request.method !== 'GET' || !response.ok) return response;
    return live.listen(request, response, () => this.#known.touch(id));
  }

  #end(live: LiveSession): void {
    this.#forget(live);
    this.#close(live);
  }

  /** Nobody waits for it, and the server is the author's: it may fail. */
  #close(live: LiveSession): void {
    live.close().catch(this.#report);
  }

  #forget(live: LiveSession): void {
    this.#sharing?.forget(live);
    this.#known.forget(live);
  }
}
