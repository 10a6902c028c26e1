import type { Clock } from '@rootward/core';
import type { LimitCounters } from '../../store/principal-limits.js';
import { EarliestTimer } from './earliest-timer.js';
import { ignore } from './ignore.js';
import type { LiveSession } from './live-session.js';
import { isAtRest, isEmpty, makeSession, type Session } from './session-entry.js';
import { makeRecord } from './session-record.js';
import type { Keeping } from './sessions-options.js';
import { chooseLeaving, sortSessions, sweepDelay } from './sort-sessions.js';

interface KnownOptions {
  readonly keeping: Keeping;
  readonly clock: Clock;
  readonly limits: LimitCounters | undefined;
  /** Whether other processes serve them, too. */
  readonly isShared: boolean;
  /** Whether a client listens here to a session that is shared. */
  readonly isHeard: (name: string) => boolean;
  readonly close: (live: LiveSession) => void;
}

/**
 * The sessions that a process knows: how many, for how long, and which of them have a server. Each has a place among
 * the sessions of its principal.
 */
export class KnownSessions {
  readonly #options: KnownOptions;
  /** Least recently used first. */
  readonly #sessions = new Map<string, Session>();
  readonly #sweep: EarliestTimer;
  readonly #isIdle = (session: Session): boolean => isAtRest(session) && !this.#options.isHeard(session.name);
  /** Sessions that have a server. */
  #serving = 0;
  /** Sessions that are being opened. */
  #opening = 0;

  constructor(options: KnownOptions) {
    this.#options = options;
    this.#sweep = new EarliestTimer(options.clock, () => {
      this.#sweepSessions();
      this.#scheduleSweep();
    });
  }

  get size(): number {
    return this.#sessions.size;
  }

  get(id: string): Session | undefined {
    return this.#sessions.get(id);
  }

  /** Gives a session its place before anything is waited for. Undefined where there is none. */
  enter(id: string, principal: string, name: string): Session | undefined {
    if (!this.#makeRoom(principal)) return undefined;
    const session = makeSession(principal, name);
    this.#sessions.set(id, session);
    this.#scheduleSweep();
    return session;
  }

  /** Opens one that is not known before `keep()`. Undefined where there is no place for it. */
  async opening<Result>(principal: string, open: () => Promise<Result>): Promise<Result | undefined> {
    if (!this.#makeRoom(principal)) return undefined;
    this.#opening += 1;
    try {
      return await open();
    } finally {
      this.#opening -= 1;
    }
  }

  /** It has a server from now on. */
  keep(id: string, live: LiveSession): void {
    const session = this.#sessions.get(id) ?? makeSession(live.principal, live.name);
    this.#sessions.set(id, Object.assign(session, { live, usedAt: this.#options.clock.now() }));
    this.#serving += 1;
    this.#scheduleSweep();
  }

  /** It is the one that was used last. */
  use(id: string, session: Session): void {
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
  }

  touch(id: string): void {
    const session = this.#sessions.get(id);
    if (session !== undefined) session.usedAt = this.#options.clock.now();
  }

  /** False where its principal has too many. */
  async claim(id: string, principal: string): Promise<boolean> {
    const { limits, keeping } = this.#options;
    return (await limits?.claimSession(principal, id, keeping.idle)) !== false;
  }

  /** Its place among the sessions of its principal. Where the store is down, it expires. */
  giveBack(id: string, principal: string): void {
    this.#options.limits?.releaseSession(principal, id).catch(ignore);
  }

  /** A request is over, and may have left nothing behind. */
  removeEmpty(id: string, session: Session): void {
    const isLost = this.#sessions.get(id) === session && this.#isIdle(session) && isEmpty(session);
    if (isLost) this.#sessions.delete(id);
  }

  /** Ends the sessions that this is true of. Returns the servers that they had. */
  endWhere(isOver: (id: string, principal: string) => boolean): readonly LiveSession[] {
    const ended: LiveSession[] = [];
    for (const [id, session] of this.#sessions) {
      const { principal, live } = session;
      if (!isOver(id, principal)) continue;
      session.isOver = true;
      this.#sessions.delete(id);
      this.giveBack(id, principal);
      if (live !== undefined) ended.push(live);
    }
    return ended;
  }

  /** Its server is closed. */
  forget(live: LiveSession): void {
    const { id = '' } = live;
    const session = this.#sessions.get(id);
    if (session?.live !== live) return;
    session.live = undefined;
    // A request that comes just now still needs its place.
    if (session.arriving === 0) this.#sessions.delete(id);
  }

  /** Forgets all of them, and returns the servers that they had. */
  clear(): readonly LiveSession[] {
    this.#sweep.clear();
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    return sessions.flatMap(({ live }) => live ?? []);
  }

  /** Drops idle sessions where there are too many. They end, unless they are shared. False where too few are idle. */
  #makeRoom(principal: string): boolean {
    const places = this.#sessions.size + this.#opening + 1 - this.#options.keeping.maxSessions;
    const leaving = chooseLeaving(this.#sessions, this.#isIdle, principal, places);
    for (const [id, session] of leaving ?? []) this.#drop(id, session);
    return leaving !== undefined;
  }

  #scheduleSweep(): void {
    if (this.#sessions.size > 0) this.#sweep.set(sweepDelay(this.#serving, this.#options.keeping));
  }

  #sweepSessions(): void {
    const { clock, keeping } = this.#options;
    const { busy, serving, overdue } = sortSessions(this.#sessions, this.#isIdle, clock.now(), keeping);
    this.#serving = serving;
    // Nobody else gets the place of a client that only listens.
    for (const [id, { principal }] of busy) this.claim(id, principal).catch(ignore);
    for (const [id, session, end] of overdue) {
      if (end === 'drop') this.#drop(id, session);
      else this.#park(id, session);
    }
  }

  /** Gives the server of a session back. One that is shared is in the store, and need not be known here. */
  #park(id: string, session: Session): void {
    const { live } = session;
    if (this.#options.isShared) return this.#drop(id, session);
    if (live === undefined) return;
    session.parked = makeRecord(0, live.fields());
    session.live = undefined;
    this.#serving -= 1;
    this.#options.close(live);
  }

  #drop(id: string, session: Session): void {
    const { live } = session;
    this.#sessions.delete(id);
    session.live = undefined;
    // One that is shared goes on elsewhere.
    if (!this.#options.isShared) this.giveBack(id, session.principal);
    if (live !== undefined) this.#options.close(live);
  }
}
