import { homedir } from 'node:os';
import { defaultLimits, readSources, systemClock, Workspace } from '@rootward/core';
import type {
  Clock,
  Logger,
  Origins,
  RootsPort,
  Scope,
  Snapshot,
  Sources,
  SourcesOptions,
  WorkspaceLimits,
} from '@rootward/core';
import { ViewCache } from './view-cache.js';

/** Options of `withWorkspace`. Everything may be left out. */
export interface WorkspaceOptions extends Partial<
  Omit<SourcesOptions, 'signal' | 'operatorRootsAreCeiling'>
> {
  /** What `readSources` found, in place of everything it would read. */
  readonly sources?: Sources;
  /** How file access over a snapshot is made; the place for deny rules and protected files. */
  readonly createScope?: (snapshot: Snapshot) => Scope;
  readonly limits?: Partial<WorkspaceLimits>;
  readonly clock?: Clock;
  readonly log?: Logger;
  /** Signs handles; at least 32 bytes, shared by all instances behind one address. By default `ROOTWARD_HANDLE_KEY`. */
  readonly handleKey?: string | Uint8Array;
  /** The tool argument that may hold a handle; false where tools use that name for something else. */
  readonly handleArgument?: string | false;
  /** Told of each workspace that lives as long as a connection, before it is used: the place for followers. */
  readonly onWorkspace?: (workspace: Workspace) => void;
}

/** Where requests come from: the process that started us, or anyone who can reach our address. */
export type Reach = 'local' | 'http';

/** A server made with this package has the flags its author gives it, and none of ours. */
const ORIGINS: Origins = {
  roots: 'the option roots',
  within: 'the option within',
  project: 'the option project',
};

/** What all workspaces of a server have in common, read once. */
export class PreparedWorkspace {
  readonly options: WorkspaceOptions;
  readonly limits: WorkspaceLimits;
  readonly log: Logger | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly views: ViewCache;
  readonly #sources = new Map<Reach, Promise<Sources>>();
  #deprecationNoted = false;

  constructor(options: WorkspaceOptions = {}) {
    this.options = options;
    this.limits = { ...defaultLimits, ...options.limits };
    this.log = options.log;
    this.environment = options.environment ?? process.env;
    this.views = new ViewCache(options.clock ?? systemClock);
  }

  get handleArgument(): string | false {
    return this.options.handleArgument ?? 'workspace';
  }

  /** Read on first use, so that a server that is only asked what it can do touches no disk. */
  sources(reach: Reach): Promise<Sources> {
    const known = this.#sources.get(reach);
    if (known !== undefined) return known;
    const sources = this.options.sources === undefined ? this.#read(reach) : this.options.sources;
    const reading = Promise.resolve(sources);
    this.#sources.set(reach, reading);
    return reading;
  }

  async open(
    reach: Reach,
    how: { readonly port?: RootsPort; readonly emptyIsFinal?: boolean } = {},
  ): Promise<Workspace> {
    const { createScope, clock, log } = this.options;
    // A request that stands alone has its answer with it: however slow the disk, no hint takes the place of those roots.
    const limits =
      how.emptyIsFinal === true ? { ...this.limits, readyTimeout: this.limits.answerTimeout } : this.limits;
    return new Workspace({
      sources: await this.sources(reach),
      ...how,
      ...(createScope !== undefined && { createScope }),
      ...(clock !== undefined && { clock }),
      ...(log !== undefined && { log }),
      limits,
    });
  }

  /** Roots are deprecated on 2026-07-28; whoever debugs should read it, once. */
  noteDeprecation(): void {
    if (this.#deprecationNoted) return;
    this.#deprecationNoted = true;
    this.log?.debug('roots negotiated on 2026-07-28, which deprecates them; they still work', {
      removal: 'not before 2027-07-28',
    });
  }

  #read(reach: Reach): Promise<Sources> {
    return readSources({
      ...this.options,
      // Not looked up where it is given: a user whom the system does not know has none.
      home: this.options.home ?? homedir(),
      origins: { ...ORIGINS, ...this.options.origins },
      environment: this.environment,
      operatorRootsAreCeiling: reach === 'http',
    });
  }
}
