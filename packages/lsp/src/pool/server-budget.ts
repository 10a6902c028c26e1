/** Something that runs and can be put aside. */
export interface BudgetEntry {
  readonly lastUsed: number;
  readonly busy: boolean;
  putAside(): void;
}

/** Keeps the number of running servers down. One budget may serve any number of pools. */
export class ServerBudget {
  readonly #max: number;
  readonly #running = new Set<BudgetEntry>();

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#running.size;
  }

  /** Makes room for one more by ending who was not asked for longest. Whoever is at work is never cut off. */
  add(entry: BudgetEntry): void {
    while (this.#running.size >= this.#max) {
      const victim = leastRecentlyUsed([...this.#running].filter(({ busy }) => !busy));
      if (victim === undefined) break;
      this.#running.delete(victim);
      victim.putAside();
    }
    this.#running.add(entry);
  }

  remove(entry: BudgetEntry): void {
    this.#running.delete(entry);
  }
}

function leastRecentlyUsed(entries: readonly BudgetEntry[]): BudgetEntry | undefined {
  return entries.toSorted((a, b) => a.lastUsed - b.lastUsed)[0];
}
