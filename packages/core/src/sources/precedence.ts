import type { Root } from '../roots/root.js';
import type { ClientPortrait } from './client.js';
import { keepReadOnly } from './keep-read-only.js';
import type { Sources } from './read-sources.js';
import type { Statement } from './root-source.js';

/** Everything all sources say at one moment. */
export interface Said {
  readonly sources: Sources;
  readonly client: ClientPortrait;
  readonly handle: Statement;
  readonly request: Statement;
  /** Places the user agreed to on this connection. */
  readonly consents: readonly Root[];
}

/** Who decided, and what came of it. Statements are compared by identity. */
export interface Decision {
  readonly roots: readonly Root[];
  /** The winner among handle, client and request: the side of whoever connects. */
  readonly guest: Statement | 'client' | undefined;
  /** The winner among the operator sources, if it counts. */
  readonly operator: Statement | undefined;
  /** The hint or ceiling that filled the gap. */
  readonly gap: Statement | undefined;
}

/** The first source that yields at least one valid root wins; a handle wins even without, since it never falls through. */
export function decide(said: Said): Decision {
  const { sources, consents } = said;
  const guest = findGuest(said);
  const mayJoin = guest === undefined || sources.clientRoots === 'add';
  const operator = mayJoin ? sources.operators.find(hasRoots) : undefined;
  const gap =
    guest === undefined && operator === undefined && !said.client.given.revoked
      ? [...sources.hints, sources.fallback].find(hasRoots)
      : undefined;
  const guestRoots = guest === 'client' ? said.client.given.roots : (guest?.roots ?? []);
  const merged = merge(guestRoots, operator?.roots ?? gap?.roots ?? [], consents);
  // A handle may hold read-only roots of its own, and what lies in one is no less so for being named beside it.
  const readOnly = [...sources.readOnly, ...merged.filter(({ access }) => access === 'read-only')];
  return { roots: keepReadOnly(merged, readOnly, sources.reading.style), guest, operator, gap };
}

function findGuest({ sources, handle, client, request }: Said): Statement | 'client' | undefined {
  if (sources.clientRoots === 'ignore') return undefined;
  if (handle.given) return handle;
  if (client.given.roots.length > 0) return 'client';
  // After a revocation only operator sources count, and what a call says of itself is none.
  return hasRoots(request) && !client.given.revoked ? request : undefined;
}

function hasRoots(statement: Statement): boolean {
  return statement.roots.length > 0;
}

/**
 * In order, the first of equal paths, read-only if any of them is: naming a place once more must not lift a restriction.
 * Returns the only list as it is, since that is the common case.
 */
function merge(...lists: readonly (readonly Root[])[]): readonly Root[] {
  const filled = lists.filter((list) => list.length > 0);
  if (filled.length < 2) return filled[0] ?? [];
  const byPath = new Map<string, Root>();
  for (const root of filled.flat()) {
    const first = byPath.get(root.path);
    if (first === undefined) byPath.set(root.path, root);
    else if (root.access === 'read-only') byPath.set(root.path, { ...first, access: 'read-only' });
  }
  return [...byPath.values()];
}
