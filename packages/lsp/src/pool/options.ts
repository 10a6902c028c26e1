import type { ChildProcess } from 'node:child_process';
import type { Clock, Logger, Snapshot } from '@rootward/core';
import type { Environment } from '@rootward/core/platform';
import type { ServerSandbox } from '../connection/server-sandbox.js';
import type { ServerDefinition } from '../servers/definition.js';
import type { RootsChange } from './follow-roots.js';
import type { PoolLimits } from './limits.js';
import type { ServerBudget } from './server-budget.js';

/** What the servers follow: a workspace, or one moment of it. */
export interface FollowedRoots {
  snapshot(): Pick<Snapshot, 'roots'>;
  onDidChange?(listener: (change: RootsChange) => void): { dispose(): void };
}

/** Options of `LanguageServers`. Everything may be left out. */
export interface LanguageServersOptions {
  /** Default: all known ones. Earlier ones are preferred. */
  readonly servers?: readonly ServerDefinition[];
  /** Also start servers found inside a root, and those that run code of the workspace. */
  readonly trustWorkspaceServers?: boolean;
  readonly environment?: Environment;
  /** Without it, servers run with all the rights of this process. */
  readonly sandbox?: ServerSandbox;
  readonly limits?: Partial<PoolLimits>;
  /** Pass one to share it between pools. */
  readonly budget?: ServerBudget;
  readonly clock?: Clock;
  readonly log?: Logger;
  /** A private folder where servers keep what they found out about the roots. Default: one that ends with the pool. */
  readonly cache?: string;
  /** Called for every process, so that the guard of this one can end it too. */
  readonly onDidSpawn?: (child: ChildProcess, server: SpawnedServer) => void;
  /** A number that grows with every change this process makes to files: the next question sees it at once. */
  readonly changesMade?: () => number;
}

/** What can be told of the process of a server, and done with it. */
export interface SpawnedServer {
  readonly name: string;
  /** Level, backend and guarantee; `off` where there is none. */
  readonly sandbox: string;
  readonly lastLines: () => readonly string[];
  /** Ends it and starts another in the same folders. */
  readonly restart: () => Promise<void>;
}

/** How a question waits. */
export interface Waiting {
  readonly signal?: AbortSignal | undefined;
  /** Told what an answer waits for, such as a server that reads its files. */
  readonly progress?: ((message: string) => void) | undefined;
  /** The answer is to be complete: changes on disk are looked for, however long that takes. */
  readonly thorough?: boolean;
}
