import { disposable, type Disposable } from '../../platform/disposable.js';
import type { Logger } from '../../platform/logger.js';
import { diffRoots, isChange } from '../../roots/diff-roots.js';
import type { Root } from '../../roots/root.js';
import type { WorkspaceChange } from './change.js';
import type { Clock } from '../../platform/clock.js';
import { Deferred } from '../../platform/async.js';

/** Something that reacts to changes of the roots and may take its time. */
export interface Follower {
  readonly name: string;
  /**
   * Never called again before it has ended. After `followerTimeout` the others no longer wait for it; what it missed by
   * then, it gets as one change when it has ended. The signal aborts when the follower is removed or the workspace
   * ends, not when it is late.
   */
  apply(change: WorkspaceChange, signal: AbortSignal): Promise<void> | void;
  /** Called once when the follower is removed or the workspace ends, even if it has seen no change. Must not throw. */
  ended?(): void;
}

export interface FollowersSetup {
  readonly clock: Clock;
  readonly log: Logger;
  /** How long the others wait for one follower, in milliseconds. */
  readonly timeout: number;
}

interface Entry {
  readonly follower: Follower;
  readonly controller: AbortController;
  /** It was given a change and has not ended. */
  busy: boolean;
  /** Lets the others go on; undefined when they do not wait for it. */
  endTurn: (() => void) | undefined;
  /** The roots of the latest change it was given. */
  known: readonly Root[];
  /** The latest change that came while it was late. */
  missed: WorkspaceChange | undefined;
}

/**
 * Passes every change to every follower: changes in order, one follower at a time, in the order they came. A follower
 * that fails is logged and does not stop the others, nor does one that does not end in time; nobody waits for one that
 * was removed.
 */
export class Followers {
  readonly #entries = new Set<Entry>();
  readonly #setup: FollowersSetup;
  #tail: Promise<void> = Promise.resolve();

  constructor(setup: FollowersSetup) {
    this.#setup = setup;
  }

  /** `first` is what the newcomer sees before any later change. */
  add(follower: Follower, first: WorkspaceChange | undefined): Disposable {
    const controller = new AbortController();
    const entry: Entry = {
      follower,
      controller,
      busy: false,
      endTurn: undefined,
      known: [],
      missed: undefined,
    };
    this.#entries.add(entry);
    const letGo = (): void => {
      entry.endTurn?.();
      follower.ended?.();
    };
    controller.signal.addEventListener('abort', letGo, { once: true });
    if (first !== undefined) this.#enqueue(() => this.#offer(entry, first));
    return disposable(() => {
      this.#entries.delete(entry);
      controller.abort();
    });
  }

  announce(change: WorkspaceChange): void {
    if (this.#entries.size === 0) return;
    const entries = [...this.#entries];
    this.#enqueue(async () => {
      for (const entry of entries) await this.#offer(entry, change);
    });
  }

  /** When every change announced so far has been passed on, except to those that are late. */
  idle(): Promise<void> {
    return this.#tail;
  }

  clear(): void {
    for (const { controller } of this.#entries) controller.abort();
    this.#entries.clear();
  }

  #enqueue(task: () => Promise<void>): void {
    this.#tail = this.#tail.then(task);
  }

  async #offer(entry: Entry, change: WorkspaceChange): Promise<void> {
    if (entry.controller.signal.aborted) return;
    if (entry.busy) {
      entry.missed = change;
      return;
    }
    const due = entry.missed === undefined ? change : changeSince(entry.known, change);
    entry.missed = undefined;
    // The changes it missed may have cancelled each other out.
    if (isChange(due)) await this.#takeTurn(entry, due);
  }

  async #takeTurn(entry: Entry, change: WorkspaceChange): Promise<void> {
    const { clock, log, timeout } = this.#setup;
    const turn = new Deferred();
    const timer = clock.setTimeout(() => {
      log.warn('follower did not end in time', { follower: entry.follower.name, milliseconds: timeout });
      entry.endTurn?.();
    }, timeout);
    entry.endTurn = () => {
      timer.clear();
      entry.endTurn = undefined;
      turn.resolve();
    };
    void this.#apply(entry, change);
    await turn.promise;
  }

  async #apply(entry: Entry, change: WorkspaceChange): Promise<void> {
    const { follower, controller } = entry;
    entry.busy = true;
    entry.known = change.snapshot.roots;
    try {
      await follower.apply(change, controller.signal);
    } catch (error) {
      if (!controller.signal.aborted) this.#logFailure(follower, error);
    }
    entry.busy = false;
    if (entry.endTurn === undefined) this.#catchUp(entry);
    else entry.endTurn();
  }

  #catchUp(entry: Entry): void {
    if (entry.controller.signal.aborted) return;
    this.#setup.log.debug('late follower ended', { follower: entry.follower.name });
    this.#enqueue(async () => {
      // A change that was under way already may have brought it up to date.
      if (entry.missed !== undefined) await this.#offer(entry, entry.missed);
    });
  }

  #logFailure({ name }: Follower, error: unknown): void {
    const { log } = this.#setup;
    // The error may name a path of the client, which must not show above debug.
    log.warn('follower failed', { follower: name });
    log.debug('follower failed', { follower: name, error: String(error) });
  }
}

function changeSince(known: readonly Root[], { reason, snapshot }: WorkspaceChange): WorkspaceChange {
  return { ...diffRoots(known, snapshot.roots), reason, snapshot };
}
