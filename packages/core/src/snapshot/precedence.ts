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

/** Which source decided, and the result. Readings are compared by identity. */
export interface Decision {
  readonly roots: readonly Root[];
  /** The first directory root, even if the operator took it away. */
  readonly named: string | undefined;
  /** The winner among handle, client and request. */
  readonly clientSide: SourceReading | 'client' | undefined;
  /** The winner among the operator sources, if it counts. */
  readonly operator: SourceReading | undefined;
  /** The hint or ceiling that was used because nothing else gave roots. */
  readonly fallback: SourceReading | undefined;
}

/**
 * The first source with at least one valid root wins. A handle wins even without one: it never falls through to other
 * sources.
 */
export function decide(input: SnapshotInput): Decision {
  const { sources, consents } = input;
  const clientSide = findClientSide(input);
  const mayJoin = clientSide === undefined || sources.clientRoots === 'add';
  const operator = mayJoin ? sources.operators.find(hasRoots) : undefined;
  const fallback = clientSide === undefined && operator === undefined ? findFallback(input) : undefined;
  const clientSideRoots = clientSide === 'client' ? input.client.given.roots : (clientSide?.roots ?? []);
  const merged = merge(clientSideRoots, operator?.roots ?? fallback?.roots ?? [], consents);
  // A handle may contain read-only roots. A root inside one of them stays read-only, even if it is named separately.
  const readOnly = [...sources.readOnly, ...merged.filter(({ access }) => access === 'read-only')];
  const kept = keepReadOnly(merged, readOnly, sources.reading.style);
  const named = kept.find(({ kind }) => kind === 'directory')?.path;
  return { roots: sources.limits?.apply(kept) ?? kept, named, clientSide, operator, fallback };
}

/** A consent with the access that it has after a decision. */
export function asDecided(consent: Root, { roots }: { readonly roots: readonly Root[] }): Root {
  const decided = roots.find(({ path }) => path === consent.path);
  return decided === undefined ? consent : { ...consent, access: decided.access };
}

function findClientSide({
  sources,
  handle,
  client,
  request,
}: SnapshotInput): SourceReading | 'client' | undefined {
  if (sources.clientRoots === 'ignore') return undefined;
  if (handle.given) return handle;
  if (client.given.roots.length > 0 || client.given.disputed) return 'client';
  // After a revocation, only operator sources count. What a call says about itself is not an operator source.
  return hasRoots(request) && !client.given.revoked ? request : undefined;
}

/** What is used if nobody named roots. A lost or refused answer never makes this wider. */
function findFallback({ sources, client }: SnapshotInput): SourceReading | undefined {
  if (client.given.revoked || sources.operators.some(namesNothingUsable)) return undefined;
  if (client.declared && sources.fallback.given) return undefined;
  return [...sources.hints, sources.fallback].find(hasRoots);
}

/**
 * The hints that somebody gave, or that were asked for. Nobody declares the process directory, the last of them: where a
 * stronger source was enough, it is not rejected.
 */
export function countedHints(
  { sources: { hints } }: SnapshotInput,
  { clientSide, operator, fallback }: Decision,
): readonly SourceReading[] {
  const isEnough =
    clientSide !== undefined ||
    operator !== undefined ||
    (fallback !== undefined && hints.includes(fallback));
  return isEnough ? hints.filter((hint) => hint.source !== 'cwd' || hint === fallback) : hints;
}

function hasRoots(reading: SourceReading): boolean {
  return reading.roots.length > 0;
}

/**
 * In order. Of equal paths, the first one stays, read-only if any of them is: naming a place again must not lift a
 * restriction. Returns the only list as it is, since that is the common case.
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
