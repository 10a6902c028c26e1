import { RootwardError } from '../error.js';
import type { Rejection, RootList } from '../roots/root.js';

/**
 * Throws for the first entry that does not count, naming it: an operator who mistypes a path must hear of it at once.
 * Naming a place twice is harmless.
 */
export function failFast(list: RootList, origin: string): void {
  const fault = list.rejected.find((rejection) => rejection.reason !== 'duplicate');
  if (fault !== undefined) throw rejectionError(fault, origin);
}

export function rejectionError(fault: Rejection, origin: string): RootwardError {
  return new RootwardError(fault.reason, `${fault.message} (given by ${origin})`, {
    path: fault.declared,
    instruction: 'Ask the user to correct what this server was started with',
  });
}
