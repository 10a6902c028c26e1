import type { RootsDiff } from '../../roots/diff-roots.js';
import type { Snapshot } from '../../snapshot/snapshot.js';

/**
 * Why roots changed. `source`: a root that the operator named exists now. `operator`: the operator took a root away or
 * gave it back. `start`: the first change that a follower sees, with all roots that exist already.
 */
export type ChangeReason = 'answer' | 'consent' | 'operator' | 'source' | 'start';

/**
 * A change of the roots. With both lists empty and `primaryChanged`, only the order changed, and with it the first
 * directory root.
 */
export interface WorkspaceChange extends RootsDiff {
  readonly reason: ChangeReason;
  readonly snapshot: Snapshot;
}
