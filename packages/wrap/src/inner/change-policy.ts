import { isSameLaunch, type Launch } from './launch.js';

/** All of them, the default first. */
export const CHANGE_POLICIES = ['auto', 'notify', 'restart'] as const;
/** What happens to a running server when the roots change. */
export type ChangePolicy = (typeof CHANGE_POLICIES)[number];

/** What is known about a running server when the roots change. */
export interface ChangeFacts {
  readonly policy: ChangePolicy;
  readonly askedForRoots: boolean;
  readonly launch: Launch;
  /** How it would be started now; undefined where it cannot be. */
  readonly next: Launch | undefined;
}

/**
 * `auto`: a server that asked for roots is told; one that did not, and would now be started differently, is restarted,
 * since it knows the roots by its command line, its environment or its directory only.
 */
export function onChange({ policy, askedForRoots, launch, next }: ChangeFacts): 'notify' | 'restart' {
  if (policy !== 'auto') return policy;
  return askedForRoots || (next !== undefined && isSameLaunch(launch, next)) ? 'notify' : 'restart';
}
