import type { LiveSession } from './live-session.js';
import type { SessionRecord } from './session-record.js';

/** A session that a process knows. */
export interface Session {
  readonly principal: string;
  /** What a store calls it. */
  readonly name: string;
  usedAt: number;
  /** Requests that neither a server nor a stream has yet. */
  arriving: number;
  /** It was ended on purpose. */
  isOver: boolean;
  /** Undefined while it is parked, or while its client only listens to what is in the store. */
  live: LiveSession | undefined;
  /** What it goes on with after it was parked. */
  parked: SessionRecord | undefined;
  /** It is getting a server. */
  opening: Promise<LiveSession> | undefined;
}

export function makeSession(principal: string, name: string): Session {
  return {
    principal,
    name,
    usedAt: 0,
    arriving: 0,
    isOver: false,
    live: undefined,
    parked: undefined,
    opening: undefined,
  };
}

/** Whether its server, if it has one, has nothing to do, and no request is on its way to it. */
export function isAtRest({ arriving, opening, live }: Session): boolean {
  return arriving === 0 && opening === undefined && (live === undefined || live.isIdle);
}

/** Whether there is nothing of it here, as where it could not be opened. */
export function isEmpty({ live, parked }: Session): boolean {
  return live === undefined && parked === undefined;
}
