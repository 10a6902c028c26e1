import type { Disposable } from '../disposable.js';
import { disposable } from '../disposable.js';
import type { Logger } from '../logger.js';
import type { WorkspaceChange } from './change.js';
import { unlessAborted } from './deferred.js';

/** Something that reacts to changes of the roots and may take its time. */
export interface Follower {
  readonly name: string;
  /** The signal aborts when the follower is let go or the workspace ends. */
  apply(change: WorkspaceChange, signal: AbortSignal): Promise<void> | void;
  /** Told once when it is let go or the workspace ends, also when it has seen no change. Must not throw. */
  ended?(): void;
}

interface Entry {
  readonly follower: Follower;
  readonly controller: AbortController;
}

/**
 * Passes every change to every follower: changes in order, one follower at a time, in the order they came. A follower
 * that fails is logged and does not stop the others; one that is let go is no longer waited for.
 */
export class Followers {
  readonly #entries = new Set<Entry>();
  readonly #log: Logger;
  #tail: Promise<void> = Promise.resolve();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** `first` is what the newcomer sees before any later change. */
  add(follower: Follower, first: WorkspaceChange | undefined): Disposable {
    const entry: Entry = { follower, controller: new AbortController() };
    this.#entries.add(entry);
    entry.controller.signal.addEventListener('abort', () => follower.ended?.(), { once: true });
    if (first !== undefined) this.#enqueue([entry], first);
    return disposable(() => {
      this.#entries.delete(entry);
      entry.controller.abort();
    });
  }

  announce(change: WorkspaceChange): void {
    if (this.#entries.size > 0) this.#enqueue([...this.#entries], change);
  }

  /** When every change announced so far has been passed on. */
  idle(): Promise<void> {
    return this.#tail;
  }

  clear(): void {
    for (const { controller } of this.#entries) controller.abort();
    this.#entries.clear();
  }

  #enqueue(entries: readonly Entry[], change: WorkspaceChange): void {
    this.#tail = this.#runAll(this.#tail, entries, change);
  }

  async #runAll(before: Promise<void>, entries: readonly Entry[], change: WorkspaceChange): Promise<void> {
    await before;
    for (const { follower, controller } of entries) {
      if (controller.signal.aborted) continue;
      try {
        await unlessAborted(apply(follower, change, controller.signal), controller.signal);
      } catch (error) {
        if (controller.signal.aborted) continue;
        // The error may name a path of the client, which must not show above debug.
        this.#log.warn('follower failed', { follower: follower.name });
        this.#log.debug('follower failed', { follower: follower.name, error: String(error) });
      }
    }
  }
}

/** Turns a follower that throws at once into one that fails like the others. */
async function apply(follower: Follower, change: WorkspaceChange, signal: AbortSignal): Promise<void> {
  await follower.apply(change, signal);
}
