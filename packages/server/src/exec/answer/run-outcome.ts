/** How a run came to its end. */
export type RunEnd = 'exited' | 'not-started' | 'cancelled' | 'timed-out' | 'stalled' | 'too-much-output';

export interface RunOutcome {
  readonly end: RunEnd;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  /** The last of stderr. */
  readonly stderr: string;
  /** Why it did not start. */
  readonly cause: Error | undefined;
}
