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
