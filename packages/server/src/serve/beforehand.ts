/** By then a client has its first answers, and most make their first call later. */
const LATER_MS = 100;

/** Runs what many first calls need, and the start does not. */
export function later(act: () => unknown): void {
  setTimeout(act, LATER_MS).unref();
}

/**
 * Runs what the first call would have to do, in time that nobody waits for. Where that fails, the call does it again and
 * says why.
 */
export function beforehand(act: () => unknown): void {
  setImmediate(() => {
    try {
      act();
    } catch {
      // As said above.
    }
  });
}
