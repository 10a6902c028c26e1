import type { EventStore } from '@modelcontextprotocol/server';
import type { Clock } from '@rootward/core';
import type { SessionStore } from '../../store/session-store.js';

/** How sessions of legacy clients over HTTP are kept. */
export interface SessionsOptions {
  /** Answer legacy clients with plain JSON instead of streams. They can then not be asked for roots. */
  readonly jsonResponse?: boolean;
  /** Lets clients resume streams that broke off. One for all sessions; each gets its own events back, and no others. */
  readonly eventStore?: EventStore;
  /**
   * Lets several processes serve the same sessions, and clients resume streams that broke off. Servers are then made
   * anew wherever a session goes on, and told again what its client said: keep nothing else in them.
   */
  readonly sessionStore?: SessionStore;
  /**
   * After so long without a request or a stream, a session gives its server back and gets a new one with its next
   * request, in milliseconds. By default never, and after a minute with a `sessionStore`. See there.
   */
  readonly parkAfter?: number;
  /** Beyond this many sessions with a server that rest, those that rested longest give it back after a second. By default none. */
  readonly maxResting?: number;
  readonly maxRequestBodySize?: number;
  /** How often a stream without news says that it is there, in milliseconds; 0 for never. */
  readonly keepAliveMs?: number;
  /** A session in which nothing happens, and that nobody listens to, for so long is closed. In milliseconds. */
  readonly sessionIdleTimeout?: number;
  /** Beyond this many, the session that was idle longest makes room; where none is idle, a new one is refused. */
  readonly maxSessions?: number;
  readonly clock?: Clock;
}
