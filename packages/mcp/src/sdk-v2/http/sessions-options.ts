import type {
  EventStore,
  WebStandardStreamableHTTPServerTransportOptions,
} from '@modelcontextprotocol/server';
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
  /**
   * With this many sessions open, a new one ends the one that was idle longest, or is refused if none is idle. With a
   * `sessionStore`, that one only leaves this process, and goes on with its next request.
   */
  readonly maxSessions?: number;
  readonly clock?: Clock;
}

/** How long sessions are kept, and how many, where nothing else was said. */
export interface Keeping {
  readonly idle: number;
  readonly parkAfter: number;
  readonly maxResting: number;
  readonly maxSessions: number;
}

const IDLE_MS = 30 * 60_000;
const SHARED_PARK_MS = 60_000;
const MAX_SESSIONS = 10_000;

export function keepingOf(options: SessionsOptions): Keeping {
  const { sessionIdleTimeout: idle = IDLE_MS, sessionStore, maxResting = Infinity } = options;
  const { parkAfter = sessionStore === undefined ? idle : SHARED_PARK_MS, maxSessions = MAX_SESSIONS } =
    options;
  return { idle, parkAfter, maxResting, maxSessions };
}

/** Those of the SDK's transport for one session. */
export function transportOptions(
  { jsonResponse, maxRequestBodySize, keepAliveMs }: SessionsOptions,
  eventStore: EventStore | undefined,
): WebStandardStreamableHTTPServerTransportOptions {
  return {
    ...(jsonResponse !== undefined && { enableJsonResponse: jsonResponse }),
    ...(eventStore !== undefined && { eventStore }),
    ...(maxRequestBodySize !== undefined && { maxRequestBodySize }),
    ...(keepAliveMs !== undefined && { keepAliveMs }),
  };
}
