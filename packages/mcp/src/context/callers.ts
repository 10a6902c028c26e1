import {
  ambiguousTree,
  CallerBindings,
  containsPath,
  GitFacts,
  hostPathStyle,
  mayBeLeft,
  moveRoots,
  namedDirectory,
  placeCall,
  takeAnnouncement,
  viewSnapshot,
} from '@rootward/core';
import type {
  CallerBinding,
  CallerContext,
  CallerSignal,
  KeptBindings,
  Place,
  Scope,
  Snapshot,
  WorkspaceView,
} from '@rootward/core';
import { isObject } from '@rootward/core/platform';
import { PlacedView } from './placed-view.js';
import { RelativeBase } from './relative-base.js';
import type { PreparedWorkspace } from './prepared-workspace.js';
import type { TransportKind } from './transport-kind.js';
import type { ConnectionObserver } from './workspace-options.js';

/** The id by which a hook of the client announces a call. */
const CALL_ID_KEY = 'claudecode/toolUseId';
const DAY_MS = 24 * 60 * 60_000;

/** What is known about who made a call. */
export interface CallOrigin {
  readonly meta: unknown;
  /** The name of the client. */
  readonly client: string | undefined;
  readonly transport: TransportKind;
  /** What `arrive()` said when the call came. */
  readonly came: number;
  /** The working tree that the handle of the call stands for. */
  readonly tree?: string | undefined;
  /**
   * Whose answers say what relative paths mean: those of the session, or the request alone. Undefined where a call has no
   * relative paths.
   */
  readonly relative?: 'session' | 'request' | undefined;
  /** Asks the client once more, if it can be asked; for roots that may be out of date. */
  readonly lookAgain?: (() => Promise<WorkspaceView>) | undefined;
}

/** The callers of one connection: the main agent and its sub-agents, each perhaps in a working tree of its own. */
export class Callers {
  /** A tool of the server that gives handles for working trees. */
  handleTool: string | undefined;
  /** How many messages have come, with those that no handler has seen yet; undefined where nobody counts them. */
  arrived: (() => number) | undefined;
  /** Where relative paths start. */
  readonly base: RelativeBase = new RelativeBase();
  readonly #prepared: PreparedWorkspace;
  readonly #connectedAt: number;
  readonly #lasts: () => boolean;
  #bindings: CallerBindings | undefined;
  readonly #observer: ConnectionObserver;
  #mentionedInstall = false;
  /** How many calls came so far. */
  #calls = 0;
  /** What git says, and what had come when it was asked. */
  #look: { readonly facts: GitFacts; readonly arrivals: number } | undefined;

  /** `lasts` is false where each request is a connection of its own. */
  constructor(
    prepared: PreparedWorkspace,
    lasts: () => boolean,
    observer: ConnectionObserver = prepared.options,
  ) {
    this.#prepared = prepared;
    this.#lasts = lasts;
    this.#observer = observer;
    this.#connectedAt = prepared.clock.now();
  }

  /** Made for the first call that has an id, or the first hook: most connections have neither. */
  get bindings(): CallerBindings {
    const prepared = this.#prepared;
    this.#bindings ??= new CallerBindings(prepared.clock, (id) => takeAnnouncement(prepared.callsFolder, id));
    return this.#bindings;
  }

  keepBindings(): KeptBindings | undefined {
    return this.#bindings?.keep();
  }

  restoreBindings(kept: KeptBindings = {}): void {
    if (this.#bindings !== undefined || Object.keys(kept).length > 0) this.bindings.restore(kept);
  }

  /** Whether what hooks say is kept until the call comes. Over HTTP, requests of the modern era share nothing. */
  get keepsBindings(): boolean {
    return this.#lasts();
  }

  /** Forgets who made the call: it has its final answer. */
  end(meta: unknown): void {
    const id = callIdOf(meta);
    if (id !== undefined) this.bindings.end(id);
  }

  /** Counts a call that came. What it sees of git is read after this, once for all calls that came until then. */
  arrive(): number {
    this.#calls += 1;
    return this.#arrivals;
  }

  get #arrivals(): number {
    return this.arrived?.() ?? this.#calls;
  }

  /** What the call sees: the roots of the tree its caller works in. */
  place(view: WorkspaceView, origin: CallOrigin): PlacedView | Promise<PlacedView> {
    const told = this.#signalOf(origin);
    if (told !== undefined) return told.then((signal) => this.#placeWith(signal, view, origin));
    return this.#placeWith(undefined, view, origin);
  }

  #placeWith(
    signal: CallerSignal | undefined,
    view: WorkspaceView,
    origin: CallOrigin,
  ): PlacedView | Promise<PlacedView> {
    const context = this.#contextOf(origin, signal);
    const facts = this.#factsFor(origin);
    const place = placeCall(view.snapshot().roots, context, facts);
    const { lookAgain } = origin;
    if (lookAgain !== undefined && mayBeOld(view, place, context, facts)) {
      return lookAgain().then((base) => {
        const again = placeCall(base.snapshot().roots, context, new GitFacts());
        return this.#seen(base, again, signal, origin);
      });
    }
    return this.#seen(view, place, signal, origin);
  }

  #seen(
    base: WorkspaceView,
    place: Place,
    signal: CallerSignal | undefined,
    origin: CallOrigin,
  ): PlacedView | Promise<PlacedView> {
    const tell = (placed: PlacedView): PlacedView => {
      this.#tell(placed, place, origin);
      return placed;
    };
    const isPlaced = signal !== undefined && isInFirstRoot(base.snapshot(), place, signal);
    const withBase = this.#withBase(base.snapshot(), origin, isPlaced);
    return place.kind === 'moved' && signal !== undefined
      ? this.#moved(base, place, signal.source, { ...origin, withBase }).then(tell)
      : tell(this.#view(base, place, signal?.source, withBase));
  }

  #tell(placed: PlacedView, place: Place, { meta, client }: CallOrigin): void {
    this.#observer.onCaller?.({
      client,
      agent: this.#bindingOf(meta)?.agent,
      directory: placed.snapshot().roots.find(({ kind }) => kind === 'directory')?.path,
      known: placed.known,
      others: place.kind === 'unclear' ? place.trees : [],
    });
  }

  /** A handle for the working tree that contains a directory; undefined where the roots do not lead to it. */
  async mintForTree(
    { base }: PlacedView,
    directory: string,
    transport: TransportKind,
    principal: string,
  ): Promise<string | undefined> {
    const origin: CallOrigin = {
      meta: undefined,
      client: undefined,
      transport,
      came: this.arrive(),
      tree: directory,
    };
    const signal = await this.#signalOf(origin);
    const facts = new GitFacts();
    const path = facts.canonical(directory);
    const { roots } = base.snapshot();
    const place = placeCall(roots, this.#contextOf(origin, signal), facts);
    if (path === undefined || signal === undefined || place.kind === 'unclear') return undefined;
    if (place.kind === 'moved') await this.#moved(base, place, 'handle', origin);
    else if (!base.scope().contains(path)) return undefined;
    return this.#prepared.handles.mint(roots, principal, place.kind === 'moved' ? place.tree.top : path);
  }

  #contextOf({ client }: CallOrigin, signal: CallerSignal | undefined): CallerContext {
    const now = this.#prepared.clock.now();
    // If each request is a connection of its own, worktrees count that were added since the server started, for a day.
    const connectedAt = this.#lasts() ? this.#connectedAt : Math.max(this.#prepared.startedAt, now - DAY_MS);
    return { signal, client, connectedAt, now };
  }

  /** Read again for a later call, and forgotten after this turn: no call sees git as it was before the call came. */
  #factsFor({ came }: CallOrigin): GitFacts {
    if (this.#look === undefined || came > this.#look.arrivals) {
      if (this.#look === undefined) process.nextTick(() => (this.#look = undefined));
      this.#look = { facts: new GitFacts(), arrivals: this.#arrivals };
    }
    return this.#look.facts;
  }

  /** A promise only where there is a signal: most calls have none. */
  #signalOf({ meta, tree, transport }: CallOrigin): Promise<CallerSignal | undefined> | undefined {
    if (tree !== undefined) return this.#unlessIgnored({ source: 'handle', directory: tree }, transport);
    const binding = this.#bindingOf(meta);
    if (binding === undefined) return undefined;
    return this.#unlessIgnored({ source: 'agent', directory: binding.cwd }, transport);
  }

  #bindingOf(meta: unknown): CallerBinding | undefined {
    const id = callIdOf(meta);
    return id === undefined ? undefined : this.bindings.get(id);
  }

  async #unlessIgnored(signal: CallerSignal, transport: TransportKind): Promise<CallerSignal | undefined> {
    const { clientRoots } = await this.#prepared.sources(transport);
    return clientRoots === 'ignore' ? undefined : signal;
  }

  /** The roots of another tree take the place of those of the main one. */
  async #moved(
    base: WorkspaceView,
    place: Extract<Place, { readonly kind: 'moved' }>,
    known: CallerSignal['source'],
    { transport, withBase }: Pick<CallOrigin, 'transport'> & { readonly withBase?: WithBase },
  ): Promise<PlacedView> {
    const { reading } = await this.#prepared.sources(transport);
    const moved = await moveRoots(base.snapshot(), place, known, reading);
    return new PlacedView(base, { known, withBase, moved: viewSnapshot(moved, this.#prepared.createScope) });
  }

  #withBase(snapshot: Snapshot, { relative }: CallOrigin, isPlaced: boolean): WithBase {
    if (relative === undefined) return undefined;
    const standsAlone = relative === 'request' || snapshot.roots[0]?.source === 'request';
    const ofSession = standsAlone ? undefined : this.base.ofSession(snapshot);
    const base = standsAlone || isPlaced ? namedDirectory(snapshot) : ofSession;
    const meaning = { base, standsAlone, tool: this.handleTool };
    return (scope, seen) => this.base.apply(scope, seen, meaning);
  }

  #view(
    base: WorkspaceView,
    place: Place,
    source: CallerSignal['source'] | undefined,
    withBase: WithBase,
  ): PlacedView {
    if (place.kind === 'here') return new PlacedView(base, { known: place.known, withBase });
    if (place.kind !== 'unclear') return new PlacedView(base, { known: undefined, withBase });
    const { roots } = base.snapshot();
    // The handle was made for this tree; if it can no longer be served, the call fails.
    if (source === 'handle') throw ambiguousTree(place, roots, { handleTool: this.handleTool });
    return new PlacedView(base, {
      known: undefined,
      others: place.trees,
      refusal: () => {
        const mentionInstall = !this.#mentionedInstall && !this.bindings.used;
        this.#mentionedInstall = true;
        return ambiguousTree(place, roots, { handleTool: this.handleTool, mentionInstall });
      },
    });
  }
}

/** Whether a caller is known to work in the first root, so that its relative paths mean that one. */
function isInFirstRoot(snapshot: Snapshot, place: Place, { source, directory }: CallerSignal): boolean {
  const first = namedDirectory(snapshot);
  if (first === undefined || place.kind === 'unclear') return false;
  if (place.kind === 'moved') return place.moves.some(({ root }) => root.path === first);
  const path = new GitFacts().canonical(directory);
  return place.known === source && path !== undefined && containsPath(first, path, hostPathStyle);
}

type WithBase = ((scope: Scope, snapshot: Snapshot) => Scope) | undefined;

function mayBeOld(view: WorkspaceView, place: Place, context: CallerContext, facts: GitFacts): boolean {
  if (place.kind === 'unclear') return place.why !== 'unconfirmed';
  return context.signal === undefined && mayBeLeft(view.snapshot().roots, context, facts);
}

function callIdOf(meta: unknown): string | undefined {
  const id = isObject(meta) ? meta[CALL_ID_KEY] : undefined;
  return typeof id === 'string' ? id : undefined;
}
