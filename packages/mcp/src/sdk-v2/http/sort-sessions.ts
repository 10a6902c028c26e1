import type { Session } from './session-entry.js';
import type { Keeping } from './sessions-options.js';

interface Sorted {
  /** How many have a server. */
  readonly serving: number;
  readonly busy: readonly (readonly [id: string, session: Session])[];
  /** Those that were idle for too long, and what becomes of them. */
  readonly overdue: readonly (readonly [id: string, session: Session, end: 'drop' | 'park'])[];
}

/** A request that follows at once should find its server. */
const CROWDED_PARK_MS = 1000;

/** When the first of them may have been idle for too long, where so many have a server. */
export function sweepDelay(serving: number, { idle, parkAfter, maxResting }: Keeping): number {
  return Math.min(idle, parkAfter, serving > maxResting ? CROWDED_PARK_MS : Infinity);
}

/** Which sessions are in use, and which have been idle for too long. The least recently used come first. */
export function sortSessions(
  sessions: Iterable<readonly [string, Session]>,
  isIdle: (session: Session) => boolean,
  now: number,
  { idle, parkAfter, maxResting }: Keeping,
): Sorted {
  const all = [...sessions];
  const busy = all.filter(([, session]) => !isIdle(session));
  const resting = all.filter(([, session]) => isIdle(session));
  const serving = all.filter(([, { live }]) => live !== undefined).length;
  let surplus = resting.filter(([, { live }]) => live !== undefined).length - maxResting;
  const overdue: (readonly [string, Session, 'drop' | 'park'])[] = [];
  for (const [id, session] of resting) {
    const isSurplus = session.live !== undefined && surplus > 0;
    if (isSurplus) surplus -= 1;
    if (session.usedAt <= now - idle) overdue.push([id, session, 'drop']);
    else if (session.usedAt <= now - (isSurplus ? CROWDED_PARK_MS : parkAfter))
      overdue.push([id, session, 'park']);
  }
  return { serving, busy, overdue };
}

/**
 * Which idle sessions leave so that there are so many more places, those of the same principal first: one that opens
 * thousands drops its own. Undefined where too many are in use; then none has to leave.
 */
export function chooseLeaving(
  sessions: Iterable<readonly [string, Session]>,
  isIdle: (session: Session) => boolean,
  principal: string,
  places: number,
): readonly (readonly [string, Session])[] | undefined {
  if (places <= 0) return [];
  const own: (readonly [string, Session])[] = [];
  const others: (readonly [string, Session])[] = [];
  for (const entry of sessions) {
    const [, session] = entry;
    const found = session.principal === principal ? own : others;
    if (found.length < places && isIdle(session)) found.push(entry);
    if (own.length === places) return own;
  }
  const leaving = [...own, ...others].slice(0, places);
  return leaving.length < places ? undefined : leaving;
}
