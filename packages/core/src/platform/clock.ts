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

/** Not `performance`, which Node loads when it is first used: a hundredth of the start of a server. */
function elapsed(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}

const ORIGIN: number = Date.now() - elapsed();

/**
 * The clock of this system. It is monotonic: setting the time back by an hour must not keep an old answer fresh for an
 * hour.
 */
export const systemClock: Clock = {
  now: () => ORIGIN + elapsed(),
  setTimeout(callback, delay) {
    return startTimer(callback, delay, (timer) => timer.unref());
  },
};

/** The same, but it keeps the process alive. */
export const systemTimers: Pick<Clock, 'setTimeout'> = {
  setTimeout: (callback, delay) => startTimer(callback, delay),
};

/**
 * Node runs timers before it reads from pipes and sockets. If a process had to wait for the processor, its time limit
 * would be over although the answer has arrived. So what has arrived is read first.
 */
function startTimer(callback: () => void, delay: number, prepare?: (timer: NodeJS.Timeout) => void): Timer {
  let reading: NodeJS.Immediate | undefined;
  const timer = setTimeout(
    () => {
      reading = setImmediate(callback);
    },
    Math.min(delay, MAX_DELAY_MS),
  );
  prepare?.(timer);
  return {
    clear() {
      clearTimeout(timer);
      clearImmediate(reading);
    },
  };
}
