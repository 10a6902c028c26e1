import type { Root } from './root.js';

/** A folder that rules are tied to. */
export type FenceFolder = Pick<Root, 'path' | 'kind' | 'broad'>;

/**
 * What holds for a scope whatever roots it has: the folders that rules are tied to, so that a rule does not vanish when
 * a client names a narrower or a wider root.
 */
export interface Fence {
  /** The home directory, as given and canonical. */
  readonly homes: readonly string[];
  /** What the operator named as roots. */
  readonly named: readonly FenceFolder[];
  /** What the operator named as the ceiling. */
  readonly ceiling: readonly FenceFolder[];
  /** Folders that the program which starts the server hints at. */
  readonly hinted: readonly FenceFolder[];
}
