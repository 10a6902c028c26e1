import { createHash } from 'node:crypto';
import type { Disposable } from '@rootward/core';

/** One line of a log, and its place in it. */
export interface LogLine {
  /** Later lines have other ids; pass it to `lines` to get what comes after. */
  readonly id: string;
  readonly text: string;
}

/**
 * Where several processes keep what they share: sessions, events that a client may have missed, revocations and counts.
 * It knows keys and texts only; what they mean is decided by those who use it. All times are in milliseconds. Every
 * method rejects with `store-unavailable` while the store cannot be used, and works again once it can.
 */
export interface SessionStore {
  /** Whether it can be used now. */
  readonly ready: boolean;
  /** The time by the clock of the store, in whole milliseconds since the epoch: those of the processes may differ. */
  now(): Promise<number>;
  /** The text of a key, which is then kept for so long. */
  read(key: string, ttl?: number): Promise<string | undefined>;
  /** The first characters of a text, which are ASCII; empty where there is none. */
  readStart(key: string, length: number): Promise<string>;
  /**
   * Replaces `before` by `after`; undefined means no value. False if the current value is another one. A `ttl` of
   * Infinity keeps it for good.
   */
  replace(key: string, before: string | undefined, after: string | undefined, ttl: number): Promise<boolean>;
  /** Adds a line to a log and returns its id. */
  append(key: string, line: string, ttl: number): Promise<string>;
  /** Lines of a log from its start, or after one of them, in order. May be the first ones only; none means there are no more. */
  lines(key: string, after?: string): Promise<readonly LogLine[]>;
  /** The id of the last line of a log; undefined where there is none. */
  lastLine(key: string): Promise<string | undefined>;
  /** Adds to a counter, which starts anew so long after its first amount. Returns the sum. */
  count(key: string, amount: number, ttl: number): Promise<number>;
  /** Takes one of so many places, or keeps it, for so long; false where all are taken. A `ttl` of 0 gives it back. */
  claim(key: string, member: string, places: number, ttl: number): Promise<boolean>;
  /** Tells all who listen, in every process. */
  publish(channel: string, text: string): Promise<void>;
  /**
   * Calls back with what is published, and without a text where something may have been missed: also when it began to
   * listen later than this returned.
   */
  subscribe(channel: string, listener: (text: string | undefined) => void): Disposable;
  close(): Promise<void>;
}

/** What stands for a name in keys, so that neither session ids nor tokens can be read from them. */
export function keyDigest(name: string): string {
  return createHash('sha256').update(name).digest('base64url');
}
