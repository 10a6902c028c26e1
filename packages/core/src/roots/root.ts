import type { RejectionReason } from '../error.js';

/** A place roots can come from, strongest first. */
export type Source =
  | 'handle'
  | 'agent'
  | 'consent'
  | 'client'
  | 'request'
  | 'flag'
  | 'env'
  | 'config'
  | 'project'
  | 'host'
  | 'cwd'
  | 'ceiling';

/** Who a source speaks for: the client, one of its calls, or the operator. A hint speaks for nobody in particular. */
export type SourceKind = 'client' | 'call' | 'operator' | 'hint';

/** The kind of every source. Hints are checked more strictly, and handles carry only what comes from a client. */
export const SOURCE_KINDS: Readonly<Record<Source, SourceKind>> = {
  handle: 'client',
  agent: 'client',
  consent: 'client',
  client: 'client',
  request: 'call',
  flag: 'operator',
  env: 'operator',
  config: 'operator',
  project: 'operator',
  host: 'hint',
  cwd: 'hint',
  ceiling: 'operator',
};

/** What a root is: a directory with all below it, or one file. */
export type RootKind = 'directory' | 'file';
/** What may be done in a root. */
export type RootAccess = 'read-write' | 'read-only';

/** One canonical directory (or single file) in scope, with where it came from. */
export interface Root {
  /** File URI of `path`, encoded by us, whatever the declaration looked like. */
  readonly uri: string;
  /** Canonical absolute path: links resolved, no trailing separator. */
  readonly path: string;
  /** The declared name, else the last part of `path`. For people; never an identity. */
  readonly name: string;
  readonly kind: RootKind;
  readonly access: RootAccess;
  readonly source: Source;
  /** The URI or path exactly as it was declared. */
  readonly declared: string;
  /** The root of the main working tree that this root replaces for one call. The rules of that root apply here, too. */
  readonly standsFor?: string;
  /** `/`, a drive, the home directory or an ancestor of it: never indexed or watched, guarded by default denies. */
  readonly broad: boolean;
}

/** A declared root that does not count, and why. */
export interface Rejection {
  /** What was declared; JSON text when it was not even a string. Cut to a printable length. */
  readonly declared: string;
  readonly source: Source;
  readonly reason: RejectionReason;
  /** One sentence without a full stop, for people. */
  readonly message: string;
}

/** What became of a list of declared roots: every declaration is either a root or a rejection. */
export interface RootList {
  readonly roots: readonly Root[];
  readonly rejected: readonly Rejection[];
}
