/** A promise and the means to resolve it. */
export class Deferred<Value> {
  readonly promise: Promise<Value>;
  #resolve: ((value: Value) => void) | undefined;

  constructor() {
    this.promise = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  resolve(value: Value): void {
    this.#resolve?.(value);
  }
}

interface WithinOptions {
  readonly clock: { setTimeout(callback: () => void, delay: number): { clear(): void } };
  readonly milliseconds: number;
  readonly signal?: AbortSignal | undefined;
}

/** Whether a promise settles in time. The signal ends the wait with its reason. */
export async function within(
  promise: Promise<unknown>,
  { clock, milliseconds, signal }: WithinOptions,
): Promise<boolean> {
  signal?.throwIfAborted();
  const over = new Deferred<boolean>();
  const timer = clock.setTimeout(() => over.resolve(false), milliseconds);
  const abort = (): void => over.resolve(false);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise.then(() => true), over.promise]);
  } finally {
    timer.clear();
    signal?.removeEventListener('abort', abort);
    signal?.throwIfAborted();
  }
}

/** The outcome of a promise, or the reason of the signal as soon as it aborts. */
export async function unlessAborted<Value>(promise: Promise<Value>, signal?: AbortSignal): Promise<Value> {
  if (signal === undefined) return promise;
  const aborted = new Deferred<void>();
  const abort = (): void => aborted.resolve();
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await Promise.race([promise, aborted.promise.then(() => Promise.reject(signal.reason))]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
