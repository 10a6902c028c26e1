import type { WantedLevel } from '@rootward/sandbox';

/** Listed here, so that reading a configuration does not load what runs servers. */
export const CHANGE_POLICIES = ['auto', 'notify', 'restart'] as const;

/** A server of others whose tools are offered under a prefix, as `rootward.json` has it. */
export interface WrappedEntry {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly sandbox?: WantedLevel;
  readonly onChange?: (typeof CHANGE_POLICIES)[number];
  /** Globs; all where there are none. */
  readonly tools?: readonly string[];
  readonly hideTools?: readonly string[];
}

/** By prefix. */
export type WrappedEntries = Readonly<Record<string, WrappedEntry>>;
