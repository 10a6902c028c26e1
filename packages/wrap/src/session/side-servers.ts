import type { OperatorLimits, Root } from '@rootward/core';
import { RootwardWrapError } from '../error.js';
import type { Keeper } from '../inner/keeper.js';
import { chooseToEnd, NO_ROOM } from '../inner/make-room.js';

interface Side {
  readonly keeper: Keeper;
  readonly roots: readonly Root[];
  readonly principal: string;
  timer: NodeJS.Timeout;
}

/** A server for another working tree is cheap to start again. */
const IDLE_MS = 5 * 60_000;
const MAX_SIDES = 8;

/**
 * Servers for calls that work in other folders than the connection does: another working tree, or a directory that the
 * call itself names; and for each principal where there are several. One per list of roots and principal, started on
 * demand; those that idle are ended.
 */
export class SideServers {
  readonly #create: () => Keeper;
  readonly #max: number;
  /** Those that were used longest ago come first. */
  readonly #sides = new Map<string, Side>();
  #limits: OperatorLimits | undefined;
  #limited: Disposable | undefined;

  constructor(create: () => Keeper, max: number = MAX_SIDES) {
    this.#create = create;
    this.#max = max;
  }

  /** Ends the servers of roots that the operator limits after they were started, and starts none for such roots. */
  obey(limits: OperatorLimits | undefined): void {
    this.#limits = limits;
    this.#limited = limits?.onDidChange(() => this.#endLimited(limits));
  }

  #endLimited(limits: OperatorLimits): void {
    for (const [key, side] of this.#sides) {
      if (isLimited(side.roots, limits)) this.#end(key, side, 'the operator took the folder away');
    }
  }

  /** Throws `refused` where all of them are in use, and where the operator has limited the roots since they were read. */
  for(roots: readonly Root[], principal = ''): Keeper {
    refuseLimited(roots, this.#limits);
    const key = JSON.stringify([principal, keyOf(roots)]);
    const known = this.#sides.get(key);
    if (known === undefined) this.#makeRoom(principal);
    else {
      clearTimeout(known.timer);
      this.#sides.delete(key);
    }
    const keeper = known?.keeper ?? this.#create();
    if (known === undefined) keeper.settle(roots);
    this.#sides.set(key, { keeper, roots, principal, timer: this.#timer(key) });
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

  #makeRoom(principal: string): void {
    if (this.#sides.size < this.#max) return;
    const held = [...this.#sides].map(([key, side], usedAt) => {
      return { key, side, principal: side.principal, usedAt, isBusy: side.keeper.busy };
    });
    const leaving = chooseToEnd(held, principal);
    if (leaving === undefined) {
      const state = `calls are under way in ${this.#max} other folders already, and each has a server of its own`;
      throw new RootwardWrapError('refused', `${state}; wait for one of them`);
    }
    this.#end(leaving.key, leaving.side, leaving.isBusy ? NO_ROOM : undefined);
  }

  #end(key: string, { keeper, timer }: Side, reason = 'it was idle'): void {
    clearTimeout(timer);
    this.#sides.delete(key);
    keeper.close(reason);
  }
}

/** Throws `refused` for roots that the operator has limited. */
export function refuseLimited(roots: readonly Root[], limits: OperatorLimits | undefined): void {
  if (limits === undefined || !isLimited(roots, limits)) return;
  throw new RootwardWrapError(
    'refused',
    'Cannot make the call: the operator took a folder away, or made it read-only',
  );
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
