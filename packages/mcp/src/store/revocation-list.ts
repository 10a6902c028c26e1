import { isObject } from '@rootward/core/platform';
import { RootwardMcpError } from '../error.js';
import { keyDigest } from './session-store.js';
import { storedFields, storedText } from './stored-value.js';

/** What is known of one thing that was revoked. */
interface Entry {
  /** When it can be forgotten, by the clock of the store, or `UNTIL_LIFTED`. */
  readonly until: number;
  /**
   * Grows with every change of this entry, and is no less than the time of the store: also a change by someone who
   * knows none of the earlier ones is later than they are.
   */
  readonly turn: number;
  /** It was revoked once, and is no longer. Kept, so that nobody who missed it revokes it again. */
  readonly isLifted: boolean;
}

/** By the name of what was revoked. */
export type RevocationList = ReadonlyMap<string, Entry>;

const LIFTED = 'lifted';
/** It is never over. Not Infinity, which JSON does not have; earlier versions read and wrote the same. */
const UNTIL_LIFTED = Number.MAX_SAFE_INTEGER;

/** Whether an entry can be forgotten. */
export function isOver({ until }: Entry, now: number): boolean {
  return until !== UNTIL_LIFTED && until <= now;
}

/**
 * The later change of each entry: a store that forgot something, or went back to an earlier state, takes nothing away.
 * What can be forgotten at `now` takes part in nothing.
 */
export function merge(known: RevocationList, stored: RevocationList, now: number): RevocationList {
  const merged = new Map(withoutOld(stored, now));
  for (const [name, entry] of withoutOld(known, now)) {
    const other = merged.get(name);
    if (other === undefined || isLater(entry, other)) merged.set(name, entry);
  }
  return merged;
}

/** The list with one more change. */
export function withChange(
  list: RevocationList,
  name: string,
  { now, lasts, isLifted }: { readonly now: number; readonly lasts: number; readonly isLifted: boolean },
): RevocationList {
  const turn = Math.max((list.get(name)?.turn ?? 0) + 1, now);
  return new Map(list).set(name, { until: Math.min(now + lasts, UNTIL_LIFTED), turn, isLifted });
}

/** Whether the second list lacks something of the first. */
export function hasMore(list: RevocationList, stored: RevocationList): boolean {
  return [...list].some(([name, entry]) => {
    const other = stored.get(name);
    return other === undefined || isLater(entry, other);
  });
}

export function listText(list: RevocationList): string {
  const entries: Record<string, readonly unknown[]> = {};
  for (const [name, { until, turn, isLifted }] of list) {
    entries[name] = isLifted ? [until, turn, LIFTED] : [until, turn];
  }
  const rest = storedText({ entries }).slice(1);
  return markFor(rest) + rest;
}

function markFor(rest: string): string {
  return `{"digest":"${keyDigest(rest)}",`;
}

/** A name in keys is as long as any other. Written out: computing one here would load node:crypto, 1.5 ms of each start. */
const DIGEST_LENGTH = 43;
/** How many characters a list starts with that differ from those of any other list. */
export const MARK_LENGTH: number = '{"digest":"",'.length + DIGEST_LENGTH;

/**
 * What a list starts with, where that tells it from any other; the mark of no list is empty. Undefined for one that
 * earlier versions wrote, which is not told apart by its start, and for one that was changed behind our backs.
 */
export function markOf(text: string | undefined): string | undefined {
  if (text === undefined) return '';
  const mark = markFor(text.slice(MARK_LENGTH));
  return text.startsWith(mark) ? mark : undefined;
}

/** Throws `store-invalid` for anything that is not a list: what cannot be read must not pass for an empty one. */
export function readList(text: string | undefined): RevocationList {
  if (text === undefined) return new Map();
  const { entries } = storedFields(text);
  if (!isObject(entries)) throw invalid();
  return new Map(Object.entries(entries).map(([name, value]) => [name, readEntry(value)]));
}

function readEntry(value: unknown): Entry {
  const [until, turn, mark]: readonly unknown[] = Array.isArray(value) ? value : [];
  if (!isWhole(until) || !isWhole(turn) || (mark !== undefined && mark !== LIFTED)) throw invalid();
  return { until, turn, isLifted: mark === LIFTED };
}

/** A larger one could not be told from the next, and would never be later than another. */
function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function withoutOld(list: RevocationList, now: number): readonly (readonly [string, Entry])[] {
  return [...list].filter(([, entry]) => !isOver(entry, now));
}

/** Where both changed at once, what is revoked stays revoked. */
function isLater(entry: Entry, other: Entry): boolean {
  if (entry.turn !== other.turn) return entry.turn > other.turn;
  if (entry.isLifted !== other.isLifted) return other.isLifted;
  return entry.until > other.until;
}

function invalid(): RootwardMcpError {
  return new RootwardMcpError('store-invalid', 'Cannot read what was revoked: it is not a list');
}
