/** The connection to a client: asks it for its roots. */
export interface RootsPort {
  /**
   * Resolves with the result of `roots/list`, whatever it is, unchecked. Rejects with an error that has a numeric
   * `code` where the client itself answered with an error, and without one where no answer came. An aborted signal
   * means that the answer is no longer wanted.
   */
  ask(signal: AbortSignal): Promise<unknown>;
}
