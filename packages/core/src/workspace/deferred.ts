/** A promise and the means to resolve it. */
export class Deferred {
  readonly promise: Promise<void>;
  #resolve: (() => void) | undefined;

  constructor() {
    this.promise = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  resolve(): void {
    this.#resolve?.();
  }
}

/** Settles like `promise`, or rejects with the signal's reason as soon as it aborts. */
export async function unlessAborted(promise: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return promise;
  const aborted = new Deferred();
  const onAbort = (): void => aborted.resolve();
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) aborted.resolve();
  try {
    // Also when aborted already: `promise` may still reject, and must not do so unheard.
    await Promise.race([promise, aborted.promise]);
    signal.throwIfAborted();
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
