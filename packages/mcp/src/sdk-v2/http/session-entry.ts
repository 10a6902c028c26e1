import type { LiveSession } from './live-session.js';
import type { SessionRecord } from './session-record.js';

/** A session that a process knows. */
export interface Session {
  readonly principal: string;
  /** What a store calls it. */
  readonly name: string;
  usedAt: number;
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
    isOver: false,
    live: undefined,
    parked: undefined,
    opening: undefined,
  };
}
