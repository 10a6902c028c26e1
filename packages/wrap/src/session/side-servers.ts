import type { OperatorLimits, Root } from '@rootward/core';
import { RootwardWrapError } from '../error.js';
import type { Keeper } from '../inner/keeper.js';

interface Side {
  readonly keeper: Keeper;
  readonly roots: readonly Root[];
  timer: NodeJS.Timeout;
}

/** A server for another working tree is cheap to start again. */
const IDLE_MS = 5 * 60_000;
const MAX_SIDES = 8;
const TOO_MANY = `calls are under way in ${String(MAX_SIDES)} other folders already, and each has a server of its own; wait for one of them`;

/**
 * Servers for calls that work in other folders than the connection does: another working tree, or a directory that the
 * call itself names. One per list of roots, started on demand; those that idle are ended.
 */
export class SideServers {
  readonly #create: () => Keeper;
  readonly #sides = new Map<string, Side>();
  #limited: Disposable | undefined;

  constructor(create: () => Keeper) {
    this.#create = create;
  }

  /** Ends the servers of roots that the operator limits after they were started. */
  obey(limits: OperatorLimits | undefined): void {
    this.#limited = limits?.onDidChange(() => this.#endLimited(limits));
  }

  #endLimited(limits: OperatorLimits): void {
    for (const [key, side] of this.#sides) {
      if (isLimited(side.roots, limits)) this.#end(key, side, 'the operator took the folder away');
    }
  }

  /** Throws `refused` where all of them are in use. */
  for(roots: readonly Root[]): Keeper {
    const key = keyOf(roots);
    const known = this.#sides.get(key);
    if (known === undefined) this.#makeRoom();
    else {
      clearTimeout(known.timer);
      this.#sides.delete(key);
    }
    const keeper = known?.keeper ?? this.#create();
    if (known === undefined) keeper.settle(roots);
    this.#sides.set(key, { keeper, roots, timer: this.#timer(key) });
    return keeper;
  }

  keepers(): readonly Keeper[] {
    return [...this.#sides.values()].map(({ keeper }) => keeper);
  }

  close(reason: string): void {
    for (const { keeper, timer } of this.#sides.values()) {
      clearTimeout(timer);
      keeper.close(reason);
    }
    this.#sides.clear();
    this.#limited?.[Symbol.dispose]();
  }

  #timer(key: string): NodeJS.Timeout {
    const timer = setTimeout(() => this.#endIfIdle(key), IDLE_MS);
    timer.unref();
    return timer;
  }

  #endIfIdle(key: string): void {
    const side = this.#sides.get(key);
    if (side === undefined) return;
    if (side.keeper.busy) side.timer = this.#timer(key);
    else this.#end(key, side);
  }

  /** The one that was used longest ago goes first. */
  #makeRoom(): void {
    if (this.#sides.size < MAX_SIDES) return;
    const idle = [...this.#sides].find(([, { keeper }]) => !keeper.busy);
    if (idle === undefined) throw new RootwardWrapError('refused', TOO_MANY);
    this.#end(...idle);
  }

  #end(key: string, { keeper, timer }: Side, reason = 'it was idle'): void {
    clearTimeout(timer);
    this.#sides.delete(key);
    keeper.close(reason);
  }
}

/** Whether the operator leaves less of these roots than they were. */
export function isLimited(roots: readonly Root[], limits: OperatorLimits): boolean {
  return !isSameRoots(limits.apply(roots), roots);
}

export function isSameRoots(one: readonly Root[], other: readonly Root[]): boolean {
  return one === other || keyOf(one) === keyOf(other);
}

/** The same for two lists of the same roots. */
export function keyOf(roots: readonly Root[]): string {
  return JSON.stringify(roots.map(({ path, access }) => [path, access]));
}
