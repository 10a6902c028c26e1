import { RootwardError } from '../error.js';
import { containsPath } from '../roots/contains-path.js';
import type { PathEntry } from '../roots/declaration.js';
import type { ReadRootsOptions } from '../roots/read-roots.js';
import { readPathRoots } from '../roots/read-roots.js';
import type { Rejection, RootList } from '../roots/root.js';
import type { PathStyle } from '../uri/path-style.js';
import { hostPathStyle } from '../uri/path-style.js';
import { printable } from '../uri/printable.js';
import type { Statement } from './root-source.js';
import { absent, describeNamed } from './root-source.js';

/**
 * Reads the roots a handle holds anew, under today's ceiling. A handle whose roots are all gone fails the call: it
 * never falls through to another source. Does not check who made the handle; that is done before. Its paths were
 * canonical when it was made: where a link took such a name since, nobody gave or agreed to what it leads to.
 */
export async function readHandle(
  entries: readonly PathEntry[],
  options: Omit<ReadRootsOptions, 'source'>,
): Promise<Statement> {
  const style = options.style ?? hostPathStyle;
  const list = withoutMoved(await readPathRoots(entries, { ...options, source: 'handle' }), style);
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

function withoutMoved({ roots, rejected }: RootList, style: PathStyle): RootList {
  const moved = roots.filter(({ declared, path }) => !containsPath(declared, path, style));
  if (moved.length === 0) return { roots, rejected };
  return {
    roots: roots.filter((root) => !moved.includes(root)),
    rejected: [...rejected, ...moved.map(({ declared }) => rejectMoved(declared))],
  };
}

function rejectMoved(path: string): Rejection {
  const declared = printable(path);
  const message = `Cannot use "${declared}" as a root: it leads somewhere else now`;
  return { declared, source: 'handle', reason: 'not-found', message };
}

export const noHandle: Statement = absent('handle', 'no workspace handle');
