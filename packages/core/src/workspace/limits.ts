import { RootwardError } from '../error.js';
import type { AskingLimits } from './asking/asking-state.js';

/** How long a workspace waits for its client and its followers. All times in milliseconds. */
export interface WorkspaceLimits extends AskingLimits {
  /** How long one follower holds up the others, and the next change. */
  readonly followerTimeout: number;
}

/** The default limits of a workspace. */
export const defaultLimits: WorkspaceLimits = {
  readyTimeout: 2_000,
  answerTimeout: 60_000,
  freshFor: 300_000,
  askSilentAfter: 300_000,
  spacing: 100,
  retryAfter: 250,
  retryWithin: 1_000,
  followerTimeout: 10_000,
};

/** The defaults, overridden by what was given; throws for a value that is not a time. */
export function readLimits(given: Partial<WorkspaceLimits> | undefined): WorkspaceLimits {
  if (given === undefined) return defaultLimits;
  for (const [name, value] of Object.entries(given)) {
    if (!(value >= 0)) {
      throw new RootwardError(
        'invalid-option',
        `Cannot use ${String(value)} as ${name}: it must be 0 or more milliseconds`,
      );
    }
  }
  return { ...defaultLimits, ...given };
}
