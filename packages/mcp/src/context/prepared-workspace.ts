import { homedir } from 'node:os';
import { defaultLimits, readSources, systemClock, Workspace } from '@rootward/core';
import type { Logger, Origins, RootsPort, Sources, WorkspaceLimits } from '@rootward/core';
import { HandleCodec } from './handle-codec.js';
import type { TransportKind } from './transport-kind.js';
import { ViewCache } from './view-cache.js';
import type { WorkspaceOptions } from './workspace-options.js';

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
  readonly #sources = new Map<TransportKind, Promise<Sources>>();
  #handles: HandleCodec | undefined;
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

  /** Made on first use, so that a key that is too short fails the calls that need it, and says so. */
  get handles(): HandleCodec {
    const configured = this.environment['ROOTWARD_HANDLE_KEY'];
    this.#handles ??= new HandleCodec(this.options.handleKey ?? (configured === '' ? undefined : configured));
    return this.#handles;
  }

  /** Read on first use, so that a server that is only asked what it can do touches no disk. */
  sources(kind: TransportKind): Promise<Sources> {
    const known = this.#sources.get(kind);
    if (known !== undefined) return known;
    const sources = this.options.sources === undefined ? this.#read(kind) : this.options.sources;
    const reading = Promise.resolve(sources);
    this.#sources.set(kind, reading);
    return reading;
  }

  async open(
    kind: TransportKind,
    how: { readonly port?: RootsPort; readonly emptyIsFinal?: boolean } = {},
  ): Promise<Workspace> {
    const { createScope, clock, log } = this.options;
    // A request that stands alone has its answer with it: however slow the disk, no hint takes the place of those roots.
    const limits =
      how.emptyIsFinal === true ? { ...this.limits, readyTimeout: this.limits.answerTimeout } : this.limits;
    return new Workspace({
      sources: await this.sources(kind),
      ...how,
      ...(createScope !== undefined && { createScope }),
      ...(clock !== undefined && { clock }),
      ...(log !== undefined && { log }),
      limits,
    });
  }

  /** Roots are deprecated on 2026-07-28; the debug log says so, once. */
  noteDeprecation(): void {
    if (this.#deprecationNoted) return;
    this.#deprecationNoted = true;
    this.log?.debug('roots negotiated on 2026-07-28, which deprecates them; they still work', {
      removal: 'not before 2027-07-28',
    });
  }

  #read(kind: TransportKind): Promise<Sources> {
    return readSources({
      ...this.options,
      // Not looked up where it is given: a user whom the system does not know has none.
      home: this.options.home ?? homedir(),
      origins: { ...ORIGINS, ...this.options.origins },
      environment: this.environment,
      operatorRootsAreCeiling: kind === 'http',
    });
  }
}

/**
 * Reads once what all workspaces of a server have in common. Pass the result to `withWorkspace()` where servers are
 * made per session or request, as over HTTP.
 */
export function prepareWorkspace(options: WorkspaceOptions = {}): PreparedWorkspace {
  return new PreparedWorkspace(options);
}
