import type { Clock, Timer } from '@rootward/core';

/**
 * By then a client that has more to do than listen has sent a request, and one whose instances die one after the other
 * listens elsewhere.
 */
const WAIT_MS = 5_000;
/** After each, so many times as long as it took is left for requests, but not longer than that. */
const REST_FACTOR = 3;
const MAX_REST_MS = 1_000;
/** One that takes longer goes on, and no longer keeps the others waiting. */
const MAX_WAKING_MS = 10_000;

interface Sleeper {
  readonly at: number;
  readonly wake: () => Promise<unknown>;
}

/**
 * Sessions whose client listens get their server later, and one after the other: when an instance dies, hundreds of
 * streams come at once, and requests would have to wait until all of their servers are made.
 */
export class WakeQueue {
  readonly #clock: Clock;
  /** The one that came first is first. */
  readonly #sleepers = new Map<string, Sleeper>();
  #timer: Timer | undefined;
  #isWaking = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * `wake` is not called where the session was removed meanwhile. A session that is added again
   * keeps its place.
   */
  add(id: string, wake: () => Promise<unknown>): void {
    const at = this.#sleepers.get(id)?.at ?? this.#clock.now() + WAIT_MS;
    this.#sleepers.set(id, { at, wake });
    if (this.#timer === undefined && !this.#isWaking) this.#schedule(0);
  }

  remove(id: string): void {
    this.#sleepers.delete(id);
  }

  clear(): void {
    this.#sleepers.clear();
    this.#timer?.clear();
    this.#timer = undefined;
  }

  #schedule(rest: number): void {
    const [first] = this.#sleepers.values();
    if (first === undefined) return;
    const wait = Math.max(rest, first.at - this.#clock.now());
    this.#timer = this.#clock.setTimeout(() => {
      this.#timer = undefined;
      void this.#wakeFirst();
    }, wait);
  }

  async #wakeFirst(): Promise<void> {
    const [first] = this.#sleepers;
    if (first === undefined) return;
    const [id, { at, wake }] = first;
    const begun = this.#clock.now();
    // Another one has taken the place of a session that was removed.
    if (at <= begun) {
      this.#sleepers.delete(id);
      this.#isWaking = true;
      await this.#within(MAX_WAKING_MS, wake());
      this.#isWaking = false;
    }
    this.#schedule(Math.min((this.#clock.now() - begun) * REST_FACTOR, MAX_REST_MS));
  }

  /** Resolves when it is done or has failed, and after that time in any case. */
  #within(milliseconds: number, waking: Promise<unknown>): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#clock.setTimeout(resolve, milliseconds);
      const end = (): void => {
        timer.clear();
        resolve();
      };
      waking.then(end, end);
    });
  }
}
