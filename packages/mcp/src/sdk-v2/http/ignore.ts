/** For a failure that nobody can be told, or has been told already. */
export function ignore(): void {
  // Nothing depends on it.
}
