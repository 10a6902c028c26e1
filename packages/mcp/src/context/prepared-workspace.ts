import { homedir } from 'node:os';
import { join } from 'node:path';
import { readLimits, readSources, Scope, systemClock, Workspace } from '@rootward/core';
import type {
  Clock,
  CreateScope,
  Logger,
  Origins,
  RootsPort,
  Snapshot,
  Sources,
  SourcesOptions,
  WorkspaceLimits,
} from '@rootward/core';
import { isObject, lockDirectory, stateDirectory } from '@rootward/core/platform';
import { checkDenials, checkOptions } from './check-options.js';
import { Consents } from './consents.js';
import { HandleCodec, type HandleContent } from './handle-codec.js';
import { newSession, usualHistory, type OpenHistory } from './kept-changes.js';
import type { TransportKind } from './transport-kind.js';
import { ViewCache } from './view-cache.js';
import type { WorkspaceOptions } from './workspace-options.js';

/** How messages name these sources: a server made with this package has options, not the flags of `rootward`. */
const ORIGINS: Origins = {
  roots: 'the option roots',
  within: 'the option within',
  project: 'the option project',
};

const KEY_VARIABLE = 'ROOTWARD_HANDLE_KEY';

/** What all workspaces of a server have in common, read once. */
export class PreparedWorkspace {
  readonly options: WorkspaceOptions;
  readonly limits: WorkspaceLimits;
  readonly clock: Clock;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly log: Logger | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly views: ViewCache;
  readonly handles: HandleCodec;
  /** Of the modern era over stdio. A legacy connection has its own. */
  readonly consents: Consents = new Consents();
  /** Opens the history; undefined where none is kept. */
  readonly history: OpenHistory | undefined;
  readonly #sources = new Map<TransportKind, Promise<Sources>>();
  readonly #sourcesNow = new Map<TransportKind, Sources>();
  #deprecationNoted = false;
  #session: string | undefined;

  /** Throws `invalid-option`: what an author got wrong is for the author, never for the model that calls a tool. */
  constructor(options: WorkspaceOptions = {}) {
    checkOptions(options);
    checkDenials(options);
    this.environment = options.environment ?? process.env;
    this.options = withoutHistory(options, this.environment);
    this.limits = readLimits(options.limits);
    this.clock = options.clock ?? systemClock;
    this.startedAt = this.clock.now();
    this.log = options.log;
    this.views = new ViewCache(this.clock);
    this.history = historyOf(options, this.environment);
    this.handles = createHandleCodec(options.handleKey, this.environment[KEY_VARIABLE]);
  }

  /** What the history calls requests that stand alone. */
  get session(): string {
    return (this.#session ??= newSession());
  }

  /** How file access over a snapshot is made; undefined for roots without rules. */
  get createScope(): CreateScope | undefined {
    const { createScope, denyAbsolute = [], home } = this.options;
    if (createScope !== undefined || (denyAbsolute.length === 0 && home === undefined)) return createScope;
    return ({ roots, fence }) =>
      new Scope({ roots, fence, rules: { denyAbsolute }, ...(home !== undefined && { home }) });
  }

  /** Where command hooks of clients write down which call comes from where. */
  get callsFolder(): string {
    return join(stateDirectory(this.environment, this.options.home ?? homedir()), 'calls');
  }

  get handleArgument(): string | false {
    return this.options.handleArgument ?? 'workspace';
  }

  /** Whether the arguments of a call have a handle among them. */
  hasHandle(args: unknown): args is { readonly [name: string]: unknown } {
    const name = this.handleArgument;
    return name !== false && isObject(args) && args[name] !== undefined;
  }

  /** What the handle among the arguments of a call stands for; throws if the handle is not valid. */
  readHandle(args: unknown, principal: string): HandleContent | undefined {
    const name = this.handleArgument;
    if (name === false || !this.hasHandle(args)) return undefined;
    const handle = args[name];
    const content = this.handles.verify(handle, principal);
    if (typeof handle === 'string') this.options.revocations?.requireValid('handle', handle);
    return content;
  }

  /** Read on first use, so that a server that is only asked what it can do touches no disk. */
  sources(kind: TransportKind): Promise<Sources> {
    const known = this.#sources.get(kind);
    if (known !== undefined) return known;
    const sources = this.options.sources === undefined ? this.#read(kind) : this.options.sources;
    const reading = Promise.resolve(sources);
    this.#sources.set(kind, reading);
    // Whoever awaits `reading` gets the error.
    reading.then(
      (read) => this.#sourcesNow.set(kind, read),
      () => undefined,
    );
    return reading;
  }

  /** The same, without a promise if they have been read: each promise on the way of a call costs time. */
  sourcesNow(kind: TransportKind): Sources | Promise<Sources> {
    return this.#sourcesNow.get(kind) ?? this.sources(kind);
  }

  /** `from`: what a request that stands alone says; otherwise the client is asked through `port`. */
  async open(
    kind: TransportKind,
    how: { readonly port?: RootsPort; readonly from?: Snapshot } = {},
  ): Promise<Workspace> {
    const { createScope } = this;
    const { clock, log } = this.options;
    return new Workspace({
      sources: await this.sources(kind),
      ...how,
      ...(createScope !== undefined && { createScope }),
      ...(clock !== undefined && { clock }),
      ...(log !== undefined && { log }),
      limits: this.limits,
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
      // Looked up only if it is not given: `homedir()` throws for a user whom the system does not know.
      home: this.options.home ?? homedir(),
      ...this.#processDirectory(),
      origins: { ...ORIGINS, ...this.options.origins },
      environment: this.environment,
      operatorRootsAreCeiling: kind === 'http',
    });
  }

  /** With the option `environment`, the directory of this process does not count either: pass `cwd`. */
  #processDirectory(): Pick<SourcesOptions, 'cwd'> {
    const { cwd, environment } = this.options;
    if (cwd !== undefined) return { cwd };
    if (environment !== undefined) return {};
    try {
      return { cwd: process.cwd() };
    } catch {
      // It was removed.
      return {};
    }
  }
}

/**
 * Reads once what all workspaces of a server have in common. Pass the result to `withWorkspace()` where servers are
 * made per session or request, as over HTTP.
 */
export function prepareWorkspace(options: WorkspaceOptions = {}): PreparedWorkspace {
  return new PreparedWorkspace(options);
}

/** No tool may look into the history of this user. An author who passes `createScope` must deny it there. */
function withoutHistory(
  options: WorkspaceOptions,
  environment: Readonly<Record<string, string | undefined>>,
): WorkspaceOptions {
  if (options.history !== true || options.createScope !== undefined) return options;
  const home = options.home ?? homedir();
  const kept = [join(stateDirectory(environment, home), 'history'), lockDirectory(environment, home)];
  return { ...options, denyAbsolute: [...(options.denyAbsolute ?? []), ...kept] };
}

function historyOf(
  { history, home, log }: WorkspaceOptions,
  environment: Readonly<Record<string, string | undefined>>,
): OpenHistory | undefined {
  if (typeof history === 'function') return history;
  return history === true ? usualHistory(environment, home, log) : undefined;
}

function createHandleCodec(
  given: string | Uint8Array | undefined,
  configured: string | undefined,
): HandleCodec {
  if (given !== undefined) return new HandleCodec(given, 'the option handleKey');
  return configured === undefined || configured === ''
    ? new HandleCodec()
    : new HandleCodec(configured, KEY_VARIABLE);
}
