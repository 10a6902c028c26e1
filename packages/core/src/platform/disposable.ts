/** Something to be let go of, by hand or with `using`. Letting go twice is harmless. */
export interface Disposable {
  dispose(): void;
  [Symbol.dispose](): void;
}

/** A disposable that calls a function. */
export function disposable(dispose: () => void): Disposable {
  return { dispose, [Symbol.dispose]: dispose };
}
