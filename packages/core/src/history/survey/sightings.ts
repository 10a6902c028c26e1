import { Pacer } from '../../platform/pacing.js';
import type { Scope } from '../../scope/scope.js';

/** What an entry looks like from outside. */
export interface Sighting {
  readonly kind: 'file' | 'directory' | 'link';
  readonly size: number;
  readonly mode: number;
  readonly modifiedMs: number;
  /** Where a link leads. */
  readonly target?: string;
}

export interface Sightings {
  readonly sightings: Map<string, Sighting>;
  /** False where a limit was reached first. */
  readonly complete: boolean;
}

/** Everything in the read-write folders among the roots. Broad ones are left out: a whole disk would take too long. */
export async function takeSightings(
  scope: Scope,
  maxFiles: number,
  until: number,
  signal?: AbortSignal,
): Promise<Sightings> {
  const sightings = new Map<string, Sighting>();
  const pacer = new Pacer(signal);
  let complete = true;
  for (const root of scope.roots) {
    if (root.kind !== 'directory' || root.access === 'read-only') continue;
    if (root.broad) {
      complete = false;
      continue;
    }
    for await (const { path, kind } of scope.walk(root.path, {
      gitignore: true,
      ...(signal && { signal }),
    })) {
      if (sightings.size >= maxFiles || performance.now() > until) return { sightings, complete: false };
      if (pacer.due) await pacer.rest();
      const sighting = await look(scope, path, kind);
      if (sighting !== undefined) sightings.set(path, sighting);
    }
  }
  return { sightings, complete };
}

/** Undefined if it is gone, or of a kind that is not kept. */
async function look(scope: Scope, path: string, kind: string): Promise<Sighting | undefined> {
  try {
    if (kind === 'file' || kind === 'directory') {
      const { size, mode, modified } = await scope.stat(path);
      return {
        kind,
        size: kind === 'file' ? size : 0,
        mode,
        modifiedMs: kind === 'file' ? modified.getTime() : 0,
      };
    }
    const entry = await scope.describe(path);
    if (entry.kind !== 'link') return undefined;
    return { kind: 'link', size: 0, mode: 0, modifiedMs: 0, target: entry.target };
  } catch {
    return undefined;
  }
}

export function isSameSighting(one: Sighting, other: Sighting): boolean {
  return (
    one.kind === other.kind &&
    one.size === other.size &&
    one.mode === other.mode &&
    one.modifiedMs === other.modifiedMs &&
    one.target === other.target
  );
}
