import type {
  Clock,
  Logger,
  RootwardError,
  Scope,
  Snapshot,
  Source,
  Sources,
  SourcesOptions,
  Workspace,
  WorkspaceLimits,
} from '@rootward/core';
import type { RootwardMcpError } from '../error.js';
import type { Revocations } from '../store/revocations.js';
import type { OpenHistory } from './kept-changes.js';

/** Who made a call, and where it works. */
export interface SeenCaller {
  /** The name of the client. */
  readonly client: string | undefined;
  /** The sub-agent that calls, as a hook of the client says; empty for the main agent, undefined without a hook. */
  readonly agent: string | undefined;
  /** The first directory root that the call sees. */
  readonly directory: string | undefined;
  /** What says that the caller works there; undefined where nobody can tell. */
  readonly known: Source | undefined;
  /** Other working trees that it may work in instead. */
  readonly others: readonly string[];
}

/** A result of a tool, of either SDK. */
export interface RefusalResult {
  readonly content: readonly object[];
  readonly isError?: boolean | undefined;
  readonly [member: string]: unknown;
}

/** Options of `withWorkspace`. Everything may be left out. */
export interface WorkspaceOptions extends Partial<
  Omit<SourcesOptions, 'signal' | 'operatorRootsAreCeiling'>
> {
  /** What `readSources` found, in place of everything it would read. */
  readonly sources?: Sources;
  /** How file access over a snapshot is made; the place for deny rules and protected files. */
  readonly createScope?: (snapshot: Snapshot) => Scope;
  /**
   * Absolute paths that no call reaches, with all below them, whatever the roots are. With `createScope`, its rules say
   * so.
   */
  readonly denyAbsolute?: readonly string[];
  /** What a tool answers in place of an error of ours; undefined for the usual answer. Not asked about other errors. */
  readonly onRefusal?: (error: RootwardError | RootwardMcpError) => RefusalResult | undefined;
  readonly limits?: Partial<WorkspaceLimits>;
  readonly clock?: Clock;
  readonly log?: Logger;
  /** Signs handles; at least 32 bytes, shared by all instances behind one address. By default `ROOTWARD_HANDLE_KEY`. */
  readonly handleKey?: string | Uint8Array;
  /** What was revoked, where processes share a session store: handles among it are refused. */
  readonly revocations?: Revocations;
  /** The tool argument that may hold a handle; false where tools use that name for something else. */
  readonly handleArgument?: string | false;
  /** Called for each workspace that lives as long as a connection, before it is used; add followers here. */
  readonly onWorkspace?: (workspace: Workspace) => void;
  /** Told of each call, once it is known which working tree it belongs to. */
  readonly onCaller?: (caller: SeenCaller) => void;
  /**
   * Keeps what was there before each change that a tool makes through its scope, so that it can be taken back: `true`
   * for the history of this user, or what opens one of your own. Default false.
   */
  readonly history?: boolean | OpenHistory;
}

/** Who is told what happens on a connection. */
export type ConnectionObserver = Pick<WorkspaceOptions, 'onWorkspace' | 'onCaller'>;
