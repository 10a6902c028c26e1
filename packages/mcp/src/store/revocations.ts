import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock, type Clock, type Disposable } from '@rootward/core';
import { Emitter } from '@rootward/core/platform';
import { RootwardMcpError } from '../error.js';
import { keyDigest, type SessionStore } from './session-store.js';
import { storeTime } from './store-time.js';
import {
  hasMore,
  isOver,
  listText,
  MARK_LENGTH,
  markOf,
  merge,
  readList,
  withChange,
  type RevocationList,
} from './revocation-list.js';

/** What the store has, and the time by its clock. */
interface Answer {
  readonly text: string | undefined;
  readonly time: number;
}

type Change = (list: RevocationList, now: number) => RevocationList;

/** What can be revoked. */
export type Revocable = 'handle' | 'session' | 'principal';

const KEY = 'revoked';
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** As long as what is revoked could live: handles ten minutes, idle sessions half an hour; a principal, until lifted. */
const LASTS_MS: Readonly<Record<Revocable, number>> = {
  handle: 15 * MINUTE_MS,
  session: 24 * HOUR_MS,
  principal: Infinity,
};
/** How long it is known that something was lifted: longer than a process is away from a store. */
const LIFTED_MS = 24 * HOUR_MS;
const MAX_ATTEMPTS = 20;
/** Those who change the list at once keep out of each other's way for a random time, longer after each attempt. */
const MAX_PAUSE_MS = 500;
/**
 * How often it is looked whether the list changed where nobody says so: whoever changed it may have died before saying so, and
 * a store may have been emptied without a word. Half of the second within which a revocation holds everywhere.
 */
const LOOK_MS = 500;
/** When a list that could not be read is tried again. */
const RETRY_MS = 250;

/**
 * What was revoked, in all processes that share a store: the list is read at the start, and again where it changed,
 * which is looked at whenever someone says so, and regularly, so that asking it costs nothing. A store that forgot something gets it back from those
 * who know. How long they hold is counted by the clock of the store, not by that of a process: revocations made on a machine whose clock is wrong hold as long as others.
 */
export class Revocations implements Disposable {
  readonly #store: SessionStore;
  readonly #onerror: ((error: unknown) => void) | undefined;
  readonly #changed = new Emitter();
  readonly #subscription: Disposable;
  #list: RevocationList = new Map();
  /** Of the list that the store had, where nothing was missing there. */
  #mark: string | undefined;
  readonly #clock: Clock;
  /** Of the store, when it was last asked, by which entries are over. */
  #time = Infinity;
  /** When that was, by the clock of this process. */
  #askedAt = 0;
  readonly #serving = new AsyncLocalStorage<{ problem?: RootwardMcpError }>();
  /** How often a message may have been missed. */
  #misses = 0;
  #isKnown = false;
  #wasKnown = false;
  #reading: Promise<void>;
  #writing: Promise<void> = Promise.resolve();
  #next: NodeJS.Timeout | undefined;
  /** Why it cannot be read, since it last could. */
  #failure: { readonly code?: string; readonly message: string } | undefined;
  #isDisposed = false;

  constructor(store: SessionStore, onerror?: (error: unknown) => void, clock: Clock = systemClock) {
    this.#store = store;
    this.#onerror = onerror;
    this.#clock = clock;
    this.#subscription = store.subscribe(KEY, (text) => {
      if (text === undefined) this.#miss();
      this.#readAgain();
    });
    this.#reading = this.#read();
  }

  /** When the list was read, or could not be. */
  async settled(): Promise<void> {
    await this.#reading;
  }

  /** Whether it can be told what was revoked lately. */
  get ready(): boolean {
    return this.#isKnown && this.#store.ready;
  }

  isRevoked(kind: Revocable, name: string): boolean {
    const entry = this.#list.get(entryName(kind, name));
    return entry !== undefined && !entry.isLifted && !isOver(entry, this.#time);
  }

  /** Throws `store-unavailable` where the list could not be read since this process started: nobody is let in on luck. */
  async requireRead(): Promise<void> {
    if (this.#wasKnown) return;
    await this.#reading;
    if (this.#wasKnown) return;
    const { code, message } = this.#failure ?? {};
    const reason = code === 'store-unavailable' ? message : 'the list in the session store cannot be read';
    throw new RootwardMcpError('store-unavailable', `Cannot tell what was revoked yet: ${reason}`, {
      instruction: 'Try again in a few seconds',
    });
  }

  /** Throws `store-unavailable` where it cannot be told what was revoked lately, and `revoked` for what was. */
  requireValid(kind: Revocable, name: string): void {
    if (!this.ready) {
      const problem = new RootwardMcpError(
        'store-unavailable',
        `Cannot tell whether the ${kind} was revoked: the session store cannot be used`,
        { instruction: 'Try again in a few seconds' },
      );
      const serving = this.#serving.getStore();
      if (serving !== undefined) serving.problem = problem;
      throw problem;
    }
    if (this.isRevoked(kind, name)) {
      throw new RootwardMcpError('revoked', `Cannot use the ${kind}: it was revoked`, {
        instruction: 'Ask the operator of the server',
      });
    }
  }

  /** Serves a request. Throws what `requireValid` threw meanwhile for want of the store, whoever caught that. */
  async serve(act: () => Promise<Response>): Promise<Response> {
    const serving: { problem?: RootwardMcpError } = {};
    const response = await this.#serving.run(serving, act);
    if (serving.problem === undefined) return response;
    await response.body?.cancel();
    throw serving.problem;
  }

  /** Told whenever the list is another one. */
  onDidChange(listener: () => void): Disposable {
    return this.#changed.add(listener);
  }

  revoke(kind: Revocable, name: string): Promise<void> {
    return this.#change(entryName(kind, name), LASTS_MS[kind], false);
  }

  /** Takes a revocation back. */
  lift(kind: Revocable, name: string): Promise<void> {
    return this.#change(entryName(kind, name), LIFTED_MS, true);
  }

  dispose(): void {
    this.#isDisposed = true;
    clearTimeout(this.#next);
    this.#subscription.dispose();
    this.#changed.clear();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  #change(name: string, lasts: number, isLifted: boolean): Promise<void> {
    return this.#write((list, now) => withChange(list, name, { now, lasts, isLifted }));
  }

  /** One after the other: each change would keep the others of this process from being made. */
  #write(change: Change): Promise<void> {
    const written = this.#writing.then(() => this.#replace(change));
    this.#writing = written.catch(() => undefined);
    return written;
  }

  async #replace(change: Change): Promise<void> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const { text, time } = await this.#ask();
      const list = change(merge(this.#list, readList(text), this.#advance(time)), time);
      const after = listText(list);
      const isThere = after === text;
      if (!isThere && !(await this.#store.replace(KEY, text, after, Infinity))) {
        await pause(Math.random() * Math.min(2 ** attempt, MAX_PAUSE_MS));
        continue;
      }
      this.#take(list, { text: after, time });
      if (!isThere) await this.#store.publish(KEY, '');
      return;
    }
    throw new RootwardMcpError('store-unavailable', 'Cannot revoke: others change the list all the time');
  }

  async #ask(): Promise<Answer> {
    const [text, time] = await Promise.all([this.#store.read(KEY), storeTime(this.#store)]);
    return { text, time };
  }

  /** Whether the store has the list that was read last: a long one is not read again each time. */
  async #isUnchanged(): Promise<boolean> {
    const mark = this.#mark;
    if (mark === undefined) return false;
    const [start, time] = await Promise.all([
      this.#store.readStart(KEY, MARK_LENGTH),
      storeTime(this.#store),
    ]);
    if (start !== mark) return false;
    this.#advance(time);
    return true;
  }

  async #readList(): Promise<boolean> {
    const answer = await this.#ask();
    return this.#take(readList(answer.text), answer);
  }

  /**
   * The time of the store, which advances no faster here than that of this process: where it leaps, as when a machine
   * with a wrong clock takes over, nothing is over that could still be used.
   */
  #advance(time: number): number {
    const now = this.#clock.now();
    this.#time = Math.ceil(Math.min(time, this.#time + now - this.#askedAt));
    this.#askedAt = now;
    return this.#time;
  }

  /** Whether the store lacks nothing of what is known. */
  #take(stored: RevocationList, { text, time }: Answer): boolean {
    const before = this.#list;
    this.#list = merge(before, stored, this.#advance(time));
    const isWhole = !hasMore(this.#list, stored);
    this.#mark = isWhole ? markOf(text) : undefined;
    if (hasMore(this.#list, before)) this.#changed.fire();
    return isWhole;
  }

  /** A message may have been missed: what was read before counts no longer, and neither does what is being read. */
  #miss(): void {
    this.#misses += 1;
    this.#isKnown = false;
  }

  async #read(): Promise<void> {
    const misses = this.#misses;
    try {
      const isWhole = (await this.#isUnchanged()) || (await this.#readList());
      this.#wasKnown = true;
      if (misses === this.#misses) this.#isKnown = true;
      // It forgot something, or is in an earlier state.
      if (!isWhole) await this.#write((list) => list);
      this.#failure = undefined;
    } catch (error) {
      if (this.#failure === undefined) this.#onerror?.(error);
      this.#failure = error instanceof Error ? error : new Error(String(error));
      this.#isKnown = false;
    }
    this.#schedule(this.#isKnown ? LOOK_MS : RETRY_MS);
  }

  #readAgain(): void {
    clearTimeout(this.#next);
    if (!this.#isDisposed) this.#reading = this.#read();
  }

  #schedule(delay: number): void {
    clearTimeout(this.#next);
    if (!this.#isDisposed) this.#next = setTimeout(() => this.#readAgain(), delay).unref();
  }
}

function entryName(kind: Revocable, name: string): string {
  return `${kind} ${keyDigest(name)}`;
}
