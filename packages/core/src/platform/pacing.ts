/** How long work may hold the event loop before signals, cancellation and other calls get their turn. */
const SLICE_MS = 8;

/** Lets the event loop run after each slice of time. */
export class Pacer {
  readonly #signal: AbortSignal | undefined;
  #since: number = performance.now();

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /** True when it is time to `rest`. Cheap enough to ask for every entry. */
  get due(): boolean {
    return performance.now() - this.#since > SLICE_MS;
  }

  /** Gives everything else a turn. Rejects with the reason of the signal once it has aborted. */
  async rest(): Promise<void> {
    await nextTurn();
    this.#since = performance.now();
    this.#signal?.throwIfAborted();
  }

  /** Rests when it is due. For loops that wait in every round anyway. */
  async keep(): Promise<void> {
    if (this.due) await this.rest();
  }
}

/** Resolves after everything that is waiting in the event loop now. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
