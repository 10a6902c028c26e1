/** Something to dispose of, by hand or with `using`. Doing so twice is harmless. */
export interface Disposable {
  dispose(): void;
  [Symbol.dispose](): void;
}

/** A disposable that calls a function. */
export function disposable(dispose: () => void): Disposable {
  return { dispose, [Symbol.dispose]: dispose };
}
