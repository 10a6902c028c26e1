import { systemTimers, type Clock } from './clock.js';

/** A promise and the function that resolves it. */
export class Deferred<Value = void> {
  readonly promise: Promise<Value>;
  #resolve: ((value: Value | PromiseLike<Value>) => void) | undefined;

  constructor() {
    this.promise = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  resolve(value: Value | PromiseLike<Value>): void {
    this.#resolve?.(value);
  }
}

/** Settles like `promise`, or rejects with the signal's reason as soon as it aborts. */
export async function unlessAborted<Value>(
  promise: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  if (signal === undefined) return promise;
  const aborted = new Deferred();
  const onAbort = (): void => aborted.resolve();
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    // Attached even if already aborted: `promise` may still reject, and the rejection must be handled.
    return await Promise.race([promise, aborted.promise.then(() => Promise.reject(signal.reason))]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** How `within` waits. */
export interface WithinOptions {
  readonly milliseconds: number;
  /** Without one, a timer of the system, which keeps the process alive. */
  readonly clock?: Pick<Clock, 'setTimeout'> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Whether a promise resolves in time. Rejects if the promise does, or with the reason of the signal. */
export async function within(
  promise: Promise<unknown>,
  { milliseconds, clock = systemTimers, signal }: WithinOptions,
): Promise<boolean> {
  signal?.throwIfAborted();
  const over = new Deferred<boolean>();
  const timer = clock.setTimeout(() => over.resolve(false), milliseconds);
  try {
    return await unlessAborted(Promise.race([promise.then(() => true), over.promise]), signal);
  } finally {
    timer.clear();
  }
}
