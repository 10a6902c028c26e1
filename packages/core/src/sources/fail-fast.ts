import { RootwardError } from '../error.js';
import type { Rejection, RootList } from '../roots/root.js';
import type { SourceContext } from './root-source.js';

/**
 * Throws for the first entry that does not count, naming it: an operator who mistypes a path must learn about it at once.
 * Naming a place twice is harmless. With `badRoots: 'skip'` it is only warned about.
 */
export function failFast(list: RootList, origin: string, { badRoots, log }: Strictness): void {
  for (const fault of list.rejected) {
    if (fault.reason === 'duplicate') continue;
    if (badRoots !== 'skip') throw rejectionError(fault, origin);
    log.warn('root skipped', { origin, root: fault.declared, reason: fault.reason });
  }
}

type Strictness = Pick<SourceContext, 'badRoots' | 'log'>;

export function rejectionError(fault: Rejection, origin: string): RootwardError {
  return new RootwardError(fault.reason, `${fault.message} (given by ${origin})`, {
    path: fault.declared,
    instruction: 'Ask the user to correct what this server was started with',
  });
}
