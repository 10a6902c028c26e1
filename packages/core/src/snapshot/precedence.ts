import type { Root } from '../roots/root.js';
import type { ClientPortrait } from '../sources/client.js';
import { keepReadOnly } from './keep-read-only.js';
import { namesNothingUsable, type Sources } from '../sources/read-sources.js';
import type { SourceReading } from '../sources/root-source.js';

/** What all sources say at one moment. */
export interface SnapshotInput {
  readonly sources: Sources;
  readonly client: ClientPortrait;
  readonly handle: SourceReading;
  readonly request: SourceReading;
  /** Places the user agreed to on this connection. */
  readonly consents: readonly Root[];
}

/** Which source decided, and what came of it. Readings are compared by identity. */
export interface Decision {
  readonly roots: readonly Root[];
  /** The winner among handle, client and request. */
  readonly clientSide: SourceReading | 'client' | undefined;
  /** The winner among the operator sources, if it counts. */
  readonly operator: SourceReading | undefined;
  /** The hint or ceiling that was used because nothing else gave roots. */
  readonly fallback: SourceReading | undefined;
}

/** The first source that yields at least one valid root wins; a handle wins even without, since it never falls through. */
export function decide(input: SnapshotInput): Decision {
  const { sources, consents } = input;
  const clientSide = findClientSide(input);
  const mayJoin = clientSide === undefined || sources.clientRoots === 'add';
  const operator = mayJoin ? sources.operators.find(hasRoots) : undefined;
  const fallback = clientSide === undefined && operator === undefined ? findFallback(input) : undefined;
  const clientSideRoots = clientSide === 'client' ? input.client.given.roots : (clientSide?.roots ?? []);
  const merged = merge(clientSideRoots, operator?.roots ?? fallback?.roots ?? [], consents);
  // A handle may hold read-only roots of its own, and what lies in one is no less so for being named beside it.
  const readOnly = [...sources.readOnly, ...merged.filter(({ access }) => access === 'read-only')];
  const kept = keepReadOnly(merged, readOnly, sources.reading.style);
  return { roots: sources.limits?.apply(kept) ?? kept, clientSide, operator, fallback };
}

function findClientSide({
  sources,
  handle,
  client,
  request,
}: SnapshotInput): SourceReading | 'client' | undefined {
  if (sources.clientRoots === 'ignore') return undefined;
  if (handle.given) return handle;
  if (client.given.roots.length > 0) return 'client';
  // After a revocation only operator sources count, and what a call says of itself is none.
  return hasRoots(request) && !client.given.revoked ? request : undefined;
}

/** What takes the place of roots that nobody named. Losing or refusing an answer never widens what there is. */
function findFallback({ sources, client }: SnapshotInput): SourceReading | undefined {
  if (client.given.revoked || sources.operators.some(namesNothingUsable)) return undefined;
  if (client.declared && sources.fallback.given) return undefined;
  return [...sources.hints, sources.fallback].find(hasRoots);
}

function hasRoots(reading: SourceReading): boolean {
  return reading.roots.length > 0;
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
