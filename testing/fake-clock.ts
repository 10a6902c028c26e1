import type { Clock, Timer } from '@rootward/core';

interface Entry {
  readonly at: number;
  readonly callback: () => void;
}

/** Time that stands still until it is stepped. */
export class FakeClock implements Clock {
  #now: number;
  readonly #entries = new Set<Entry>();

  /** `now`: the time at which it stands, such as that of the disk. */
  constructor(now: number = Date.UTC(2026, 0, 1)) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  setTimeout(callback: () => void, delay: number): Timer {
    const entry = { at: this.#now + delay, callback };
    this.#entries.add(entry);
    return { clear: () => this.#entries.delete(entry) };
  }

  get timers(): number {
    return this.#entries.size;
  }

  /** Runs every timer that falls due on the way. */
  advance(milliseconds: number): void {
    const end = this.#now + milliseconds;
    while (this.#runNext(end));
    this.#now = end;
  }

  /** The same, letting promises settle before the first timer and after each: they may set or clear others. */
  async advanceAndSettle(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    await settle();
    while (this.#runNext(end)) await settle();
    this.#now = end;
    await settle();
  }

  #runNext(end: number): boolean {
    const [next] = [...this.#entries].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at);
    if (next === undefined) return false;
    this.#now = Math.max(this.#now, next.at);
    this.#entries.delete(next);
    next.callback();
    return true;
  }
}

/** Lets every promise that can settle without outside events do so. */
export function settle(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
