import { Deferred } from '@rootward/core/platform';

/** Something that runs and can be put aside. */
export interface BudgetEntry {
  readonly lastUsed: number;
  readonly busy: boolean;
  /** Resolves when it has ended. */
  putAside(): Promise<void>;
}

/** Keeps the number of running servers down. One budget may serve any number of pools. */
export class ServerBudget {
  readonly #max: number;
  readonly #running = new Set<BudgetEntry>();
  #changed = new Deferred();

  constructor(max: number) {
    this.#max = Math.max(1, max);
  }

  get size(): number {
    return this.#running.size;
  }

  /** Makes room for one more by ending the server that was unused for longest. Waits while all of them are busy. */
  async add(entry: BudgetEntry): Promise<void> {
    while (this.#running.size >= this.#max && !this.#running.has(entry)) {
      const victim = leastRecentlyUsed([...this.#running].filter(({ busy }) => !busy));
      if (victim === undefined) await this.#changed.promise;
      else {
        await victim.putAside();
        // One that is wanted again meanwhile starts in its own place.
        if (!victim.busy) this.remove(victim);
      }
    }
    this.#running.add(entry);
  }

  remove(entry: BudgetEntry): void {
    this.#running.delete(entry);
    this.wake();
  }

  /** A server has finished its work and may make room. */
  wake(): void {
    this.#changed.resolve();
    this.#changed = new Deferred();
  }
}

function leastRecentlyUsed(entries: readonly BudgetEntry[]): BudgetEntry | undefined {
  return entries.toSorted((a, b) => a.lastUsed - b.lastUsed)[0];
}
