import type { RootsDiff } from '../../roots/diff-roots.js';
import type { Snapshot } from '../../snapshot/snapshot.js';

/**
 * Why roots changed. `source`: one that the operator named is there now. `operator`: one was taken away or given back. `start` is what a follower sees first:
 * everything that is there already.
 */
export type ChangeReason = 'answer' | 'consent' | 'handle' | 'operator' | 'source' | 'start';

/**
 * A change of the roots. With both lists empty and `primaryChanged`, only the order changed, and with it the first
 * directory root.
 */
export interface WorkspaceChange extends RootsDiff {
  readonly reason: ChangeReason;
  readonly snapshot: Snapshot;
}
