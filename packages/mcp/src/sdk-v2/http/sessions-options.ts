import type { EventStore } from '@modelcontextprotocol/server';
import type { Clock } from '@rootward/core';
import type { SessionStore } from '../../store/session-store.js';

/** How sessions of legacy clients over HTTP are kept. */
export interface SessionsOptions {
  /** Answer legacy clients with plain JSON instead of streams. Then they cannot be asked for roots. */
  readonly jsonResponse?: boolean;
  /** Lets clients resume streams that broke off. One for all sessions; each gets its own events back, and no others. */
  readonly eventStore?: EventStore;
  /**
   * Lets several processes serve the same sessions, and clients resume streams that broke off. The process that serves
   * a session next makes a new server for it and tells it again what the client said: keep nothing else in a server.
   */
  readonly sessionStore?: SessionStore;
  /**
   * A session without a request or a stream for this many milliseconds closes its server, and gets a new one with its
   * next request, as described at `sessionStore`. By default never, and with a `sessionStore` after a minute.
   */
  readonly parkAfter?: number;
  /** If more idle sessions than this have a server, those idle longest close it after a second. By default no limit. */
  readonly maxResting?: number;
  readonly maxRequestBodySize?: number;
  /** After how many milliseconds without news a stream sends a sign of life; 0 for never. */
  readonly keepAliveMs?: number;
  /** A session without a request or a stream for this many milliseconds ends. */
  readonly sessionIdleTimeout?: number;
  /** With this many sessions open, a new one ends the one that was idle longest, or is refused if none is idle. */
  readonly maxSessions?: number;
  readonly clock?: Clock;
}
