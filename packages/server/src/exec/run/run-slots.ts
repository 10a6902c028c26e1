import { disposable } from '@rootward/core/platform';
/** Lets so many run at once; the rest wait in the order they came. */
export class RunSlots {
  readonly #most: number;
  #taken = 0;
  readonly #waiting: Set<() => void> = new Set();

  constructor(most: number) {
    this.#most = most;
  }

  get taken(): number {
    return this.#taken;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Resolves when it is this one's turn; dispose of the result when done. Rejects when aborted before. */
  async take(signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    if (this.#taken < this.#most) this.#taken += 1;
    else await this.#wait(signal);
    let held = true;
    return disposable(() => {
      if (held) this.#release();
      held = false;
    });
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const go = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        this.#waiting.delete(go);
        reject(abortReason(signal));
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.add(go);
    });
  }

  /** The slot goes to the call that has waited longest. */
  #release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#taken -= 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}

function abortReason(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason));
}
