/** Long enough to get something done, short enough for signals and other calls to be heard. */
const SLICE_MS = 20;

/** For loops that may take long: gives everything else its turn, and hears of a cancelled call. */
export class Pace {
  readonly #signal: AbortSignal;
  #since: number = performance.now();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Ask for it in every round; it only waits when it is time to. */
  async keep(): Promise<void> {
    if (performance.now() - this.#since < SLICE_MS) return;
    await nextTurn();
    this.#since = performance.now();
    this.#signal.throwIfAborted();
  }
}

export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
