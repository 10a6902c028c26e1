import { readPathRoots, type ReadRootsOptions } from '../roots/read-roots.js';
import type { Root } from '../roots/root.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import type { TraceEntry } from '../snapshot/trace.js';
import { ambiguousTree } from './ambiguous-tree.js';
import type { Place } from './place-call.js';

type Moved = Extract<Place, { kind: 'moved' }>;

/**
 * The snapshot of a call whose caller works in a linked worktree: the roots of the main tree are replaced by the same
 * folders of that one, with the same access. They are read like any root, so the ceiling applies. Rejects if the first
 * root cannot be replaced.
 */
export async function moveRoots(
  base: Snapshot,
  { tree, moves }: Moved,
  source: 'agent' | 'handle',
  reading: Omit<ReadRootsOptions, 'source'>,
): Promise<Snapshot> {
  const taken = new Map<string, Root>();
  for (const { root, path } of moves) {
    const { roots } = await readPathRoots([{ path, access: root.access }], { ...reading, source });
    const [found] = roots;
    // A link in the tree may lead anywhere, and a cut to the ceiling would be another folder than the caller means.
    if (found === undefined || found.path !== path || found.kind !== 'directory') continue;
    taken.set(root.path, { ...found, access: root.access, standsFor: root.path });
  }
  const [primary] = moves;
  if (primary !== undefined && !taken.has(primary.root.path)) {
    throw ambiguousTree({ kind: 'unclear', why: 'out-of-reach', trees: [primary.path] }, base.roots);
  }
  const moved = new Set(moves.map(({ root }) => root.path));
  const roots = base.roots.flatMap((root) => {
    const place = taken.get(root.path);
    if (place !== undefined) return [place];
    return moved.has(root.path) ? [] : [root];
  });
  const byPath = new Map(roots.toReversed().map((root) => [root.path, root]));
  return new MovedSnapshot(
    base,
    roots.filter((root) => byPath.get(root.path) === root),
    {
      source,
      verdict: 'used',
      detail: `${SAYS[source]} ${tree.top}, a working tree of ${tree.path}`,
    },
  );
}

const SAYS: Readonly<Record<'agent' | 'handle', string>> = {
  agent: 'the hook of the client says that the caller works in',
  handle: 'the workspace handle stands for',
};

/** Trace and rejections are those of the original snapshot, computed when they are read. */
class MovedSnapshot implements Snapshot {
  readonly epoch: number;
  readonly takenAt: number;
  readonly roots: readonly Root[];
  readonly #base: Snapshot;
  readonly #entry: TraceEntry;

  constructor(base: Snapshot, roots: readonly Root[], entry: TraceEntry) {
    this.epoch = base.epoch;
    this.takenAt = base.takenAt;
    for (const root of roots) Object.freeze(root);
    this.roots = Object.freeze(roots);
    this.#base = base;
    this.#entry = Object.freeze({ ...entry, roots });
    Object.freeze(this);
  }

  get client(): Snapshot['client'] {
    return this.#base.client;
  }

  get fence(): Snapshot['fence'] {
    return this.#base.fence;
  }

  get rejected(): Snapshot['rejected'] {
    return this.#base.rejected;
  }

  get trace(): Snapshot['trace'] {
    return [this.#entry, ...this.#base.trace];
  }

  toJSON(): Omit<Snapshot, 'fence'> {
    const { epoch, roots, client, rejected, trace, takenAt } = this;
    return { epoch, roots, client, rejected, trace, takenAt };
  }
}
