import type { Clock, Timer } from '@rootward/core';

/** A timer that can be set again and again, and keeps the earliest time. */
export class EarliestTimer {
  readonly #clock: Clock;
  readonly #act: () => void;
  #timer: Timer | undefined;
  #at = 0;

  constructor(clock: Clock, act: () => void) {
    this.#clock = clock;
    this.#act = act;
  }

  set(wait: number): void {
    const at = this.#clock.now() + wait;
    if (this.#timer !== undefined && this.#at <= at) return;
    this.#timer?.clear();
    this.#at = at;
    this.#timer = this.#clock.setTimeout(() => {
      this.#timer = undefined;
      this.#act();
    }, wait);
  }

  clear(): void {
    this.#timer?.clear();
    this.#timer = undefined;
  }
}
