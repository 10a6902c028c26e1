import type { Clock } from '@rootward/core';

/** The most answers kept. */
const MAX_KEPT = 200;
const REST_FACTOR = 10;

interface Kept<Value> {
  readonly value: Value;
  readonly changes: number;
  readonly until: number;
}

/**
 * Answers that take long to find. They are found again after ten times as long, or once this process has changed files;
 * until then they may miss what other programs changed.
 */
export class Resting<Value> {
  readonly #clock: Clock;
  readonly #changesMade: () => number;
  readonly #kept = new Map<string, Kept<Value>>();

  constructor(clock: Clock, changesMade: (() => number) | undefined) {
    this.#clock = clock;
    this.#changesMade = changesMade ?? (() => 0);
  }

  async get(key: string, find: () => Promise<Value>): Promise<Value> {
    const start = this.#clock.now();
    const changes = this.#changesMade();
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.changes === changes && start < kept.until) return kept.value;
    const value = await find();
    const end = this.#clock.now();
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear();
    this.#kept.set(key, { value, changes, until: end + (end - start) * REST_FACTOR });
    return value;
  }
}
