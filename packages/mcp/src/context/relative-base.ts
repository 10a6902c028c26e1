import { namedDirectory, rootGone, type Scope, type Snapshot } from '@rootward/core';

/** What relative paths mean for one call. */
export interface RelativeMeaning {
  /** The path of the root that they start at. */
  readonly base: string | undefined;
  /** The call stands alone, so that nothing it sees counts for the next one. */
  readonly standsAlone: boolean;
  /** The tool that shows the roots; undefined where a server has none, so that a refusal has to do. */
  readonly tool: string | undefined;
}

/**
 * The root that relative paths start at: the first root of the answer that a session last saw. It may be gone by now, and
 * then a relative path is refused, so that none lands in another root.
 */
export class RelativeBase {
  #known: string | undefined;
  /** The first root that a refusal has named. */
  readonly #told = new WeakMap<object, string>();

  get known(): string | undefined {
    return this.#known;
  }

  /** Continues with what was kept, unless an answer has named roots here since then. */
  restore(kept: string | undefined, since: string | undefined): void {
    if (this.#known === undefined || this.#known === since) this.#known = kept ?? this.#known;
  }

  /** The root for a call of the session. Before any answer, it is the first root of the first call. */
  ofSession(snapshot: Snapshot): string | undefined {
    return (this.#known ??= namedDirectory(snapshot));
  }

  /** Notes that an answer named these roots. Those that a call names for itself are not those of the session. */
  saw(snapshot: Snapshot): void {
    const first = firstOf(snapshot);
    if (first !== undefined && first.source !== 'request') this.#known = first.path;
  }

  /** Notes that a call ended with this refusal, which may have named the roots that are left. */
  sawRefusal(error: unknown): void {
    if (typeof error === 'object' && error !== null) this.#known = this.#told.get(error) ?? this.#known;
  }

  /** Makes relative paths start at `base`, or refuses them where that is no longer a root. */
  apply(scope: Scope, snapshot: Snapshot, meaning: RelativeMeaning): Scope {
    const { base } = meaning;
    const first = firstOf(snapshot);
    const root = snapshot.roots.find(({ path, standsFor }) => path === base || standsFor === base);
    if (base === undefined || first === undefined || root === first) return scope;
    if (root !== undefined) return scope.startingAt(root.path);
    return scope.refusingRelative(() => {
      const error = rootGone(base, snapshot.roots, adviceFor(meaning, first.path));
      // Of calls that were made at once, one may come after the refusal of another, which its caller has not read.
      if (meaning.tool === undefined) this.#told.set(error, first.path);
      return error;
    });
  }
}

function adviceFor({ standsAlone, tool }: RelativeMeaning, first: string): string {
  const absolute = 'Pass an absolute path';
  if (standsAlone)
    return tool === undefined ? absolute : `${absolute}, or a new "workspace" handle of ${tool}`;
  const then = tool === undefined ? 'from the next call on' : `call ${tool}: after that`;
  return `${absolute}, or ${then}, relative paths start at ${JSON.stringify(first)}`;
}

function firstOf({ roots }: Snapshot): Snapshot['roots'][number] | undefined {
  return roots.find(({ kind }) => kind === 'directory');
}
