import { RootwardError } from '../error.js';
import type { PathEntry } from '../roots/declaration.js';
import { readPathRoots, type ReadRootsOptions } from '../roots/read-roots.js';
import { absent, describeNamed, type SourceReading } from './root-source.js';

/**
 * Reads the roots a handle holds anew, under today's ceiling. A handle whose roots are all gone fails the call: it
 * never falls through to another source. Does not check who made the handle; that is done before.
 */
export async function readHandle(
  entries: readonly PathEntry[],
  options: Omit<ReadRootsOptions, 'source'>,
): Promise<SourceReading> {
  const list = await readPathRoots(entries, { ...options, source: 'handle' });
  const fault = list.rejected[0];
  if (list.roots.length === 0 && fault !== undefined) {
    throw new RootwardError(fault.reason, `${fault.message} (given by the workspace handle)`, {
      path: fault.declared,
      instruction: 'Omit `workspace`, or call workspace_info for a new one',
    });
  }
  const detail = `workspace handle ${describeNamed(list) || 'names no roots'}`;
  return { ...list, source: 'handle', given: true, detail };
}

export const noHandle: SourceReading = absent('handle', 'no workspace handle');
