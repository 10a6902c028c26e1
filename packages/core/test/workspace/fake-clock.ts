import type { Clock, Timer } from '../../src/workspace/clock.js';

interface Entry {
  readonly at: number;
  readonly callback: () => void;
}

/** Time that stands still until it is stepped. */
export class FakeClock implements Clock {
  #now = 1_000_000;
  readonly #entries = new Set<Entry>();

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

  /** Runs every timer that falls due on the way, letting promises settle after each. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    await settle();
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#now = Math.max(this.#now, next.at);
      this.#entries.delete(next);
      next.callback();
      await settle();
    }
    this.#now = end;
    await settle();
  }

  #next(end: number): Entry | undefined {
    const due = [...this.#entries].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at);
    return due[0];
  }
}

/** Lets every promise that can settle without outside events do so. */
export function settle(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
