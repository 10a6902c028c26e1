import { RootwardError } from '../error.js';
import { readPathRoots, type ReadRootsOptions } from '../roots/read-roots.js';
import type { Root } from '../roots/root.js';
import { diffRoots } from '../roots/diff-roots.js';
import { containsPath } from '../uri/contains-path.js';
import { printable } from '../uri/printable.js';
import type { Sources } from './read-sources.js';
import { hostPathStyle, type PathStyle } from '../uri/path-style.js';

/**
 * Reads the path a user agreed to. Throws where it cannot be a root, for example outside the ceiling. Unlike other
 * roots, a wider path is not cut to the ceiling: the user was not asked about the remaining part.
 */
async function readConsent(
  path: string,
  { ceiling, ...reading }: Omit<ReadRootsOptions, 'source' | 'base'>,
): Promise<Root> {
  const { roots, rejected } = await readPathRoots([{ path }], { ...reading, source: 'consent' });
  const [root] = roots;
  const [fault] = rejected;
  if (root === undefined || fault !== undefined) {
    throw new RootwardError(
      fault?.reason ?? 'malformed',
      fault?.message ?? `Cannot use "${path}" as a root`,
      { path },
    );
  }
  const style = reading.style ?? hostPathStyle;
  if (ceiling !== undefined && !ceiling.some((directory) => containsPath(directory, root.path, style))) {
    throw new RootwardError(
      'outside-ceiling',
      `Cannot use "${path}" as a root: it lies outside the allowed directories`,
      { path },
    );
  }
  return root;
}

/** The root a consent would add. Throws also where the operator ignores client roots. */
export async function considerConsent(
  path: string,
  { clientRoots, reading }: Pick<Sources, 'clientRoots' | 'reading'>,
  signal?: AbortSignal,
): Promise<Root> {
  if (clientRoots === 'ignore') {
    throw new RootwardError(
      'not-permitted',
      `Cannot add "${printable(path)}": client roots are ignored by configuration`,
      { path },
    );
  }
  return readConsent(path, { ...reading, ...(signal && { signal }) });
}

/** The user agreed to one place, not to another one that has its name now. */
export function requireSamePlace(considered: Root, { path }: Root): void {
  if (path === considered.path) return;
  throw new RootwardError(
    'unstable-path',
    `Cannot add "${printable(considered.path)}": it leads somewhere else now`,
    { path: considered.path },
  );
}

/**
 * The consents that survive when the client's roots were `before` and are `after` now: a place that the client took back
 * is lost, and where it gives no root any more, all are.
 */
export function survivingConsents(
  consents: readonly Root[],
  before: readonly Root[],
  after: readonly Root[],
  style: PathStyle = hostPathStyle,
): readonly Root[] {
  if (consents.length === 0) return consents;
  if (after.length === 0) return [];
  const { removed } = diffRoots(before, after);
  return consents.filter(
    (consent) =>
      !removed.some(
        (root) =>
          containsPath(root.path, consent.path, style) || containsPath(consent.path, root.path, style),
      ),
  );
}
