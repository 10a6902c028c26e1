/** Time as a workspace sees it, so that tests can step it. */
export interface Clock {
  /** Milliseconds since the epoch, never going backwards. */
  now(): number;
  /** Calls back once, unless cleared. Must not keep the process alive. */
  setTimeout(callback: () => void, delay: number): Timer;
}

/** A delay that has not passed yet. */
export interface Timer {
  clear(): void;
}

// Node fires timers beyond 2^31 - 1 ms at once.
const MAX_DELAY_MS = 2 ** 31 - 1;

/**
 * The clock of this system. Monotonic, since one that is set back by an hour must not keep an old answer fresh for that
 * long.
 */
export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  setTimeout(callback, delay) {
    const timer = setTimeout(callback, Math.min(delay, MAX_DELAY_MS)).unref();
    return { clear: () => clearTimeout(timer) };
  },
};
