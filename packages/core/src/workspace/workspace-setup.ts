import type { Logger } from '../platform/logger.js';
import type { readRoots } from '../roots/read-roots.js';
import type { Scope } from '../scope/scope.js';
import type { Sources } from '../sources/read-sources.js';
import type { Clock } from '../platform/clock.js';
import type { WorkspaceLimits } from './limits.js';
import type { RootsPort } from './asking/roots-port.js';
import type { Snapshot } from '../snapshot/snapshot.js';

/** What a `Workspace` is made of. Only `sources` are required; `createWorkspace` reads them for you. */
export interface WorkspaceSetup {
  /** What `readSources` found; may be shared by any number of workspaces. */
  readonly sources: Sources;
  /** What `resolveSnapshot` found for a request: the workspace starts with it and asks nobody. */
  readonly from?: Snapshot;
  /** The connection to the client, if it lasts for the whole session. Otherwise pass one to `ready()`. */
  readonly port?: RootsPort;
  /** How file access over a snapshot is made; the place for deny rules and protected files. */
  readonly createScope?: (snapshot: Snapshot) => Scope;
  /** Looks up the roots that a client sent. Use it for a cache if the same list comes with every request. */
  readonly readClientRoots?: typeof readRoots;
  readonly clock?: Clock;
  readonly log?: Logger;
  readonly limits?: Partial<WorkspaceLimits>;
}
