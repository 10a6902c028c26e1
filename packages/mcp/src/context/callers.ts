import {
  ambiguousTree,
  CallerBindings,
  gitFacts,
  mayBeLeft,
  moveRoots,
  placeCall,
  viewSnapshot,
} from '@rootward/core';
import type { CallerBinding, CallerContext, CallerSignal, Place, WorkspaceView } from '@rootward/core';
import { isObject } from '@rootward/core/platform';
import { PlacedView } from './placed-view.js';
import type { PreparedWorkspace } from './prepared-workspace.js';
import type { TransportKind } from './transport-kind.js';

/** The id by which a hook of the client announces a call. */
const CALL_ID_KEY = 'claudecode/toolUseId';
const DAY_MS = 24 * 60 * 60_000;

/** One call, as far as it concerns who made it. */
export interface CallOrigin {
  readonly meta: unknown;
  /** The name of the client. */
  readonly client: string | undefined;
  readonly transport: TransportKind;
  /** The working tree that the handle of the call stands for. */
  readonly tree?: string | undefined;
  /** Looks again, where the client can be asked; for roots that may be out of date. */
  readonly lookAgain?: (() => Promise<WorkspaceView>) | undefined;
}

/** The callers of one connection: the main agent and its sub-agents, each perhaps in a working tree of its own. */
export class Callers {
  readonly bindings: CallerBindings;
  /** A tool of the server that gives handles for working trees. */
  handleTool: string | undefined;
  readonly #prepared: PreparedWorkspace;
  readonly #connectedAt: number;
  readonly #lasts: () => boolean;
  #mentionedInstall = false;

  /** `lasts` is false where each request is a connection of its own. */
  constructor(prepared: PreparedWorkspace, lasts: () => boolean) {
    this.#prepared = prepared;
    this.#lasts = lasts;
    this.bindings = new CallerBindings(prepared.clock);
    this.#connectedAt = prepared.clock.now();
  }

  /** Whether what hooks say is kept until the call comes. Over HTTP, requests of the modern era share nothing. */
  get keepsBindings(): boolean {
    return this.#lasts();
  }

  /** The call got its final answer. */
  end(meta: unknown): void {
    const id = callIdOf(meta);
    if (id !== undefined) this.bindings.end(id);
  }

  /** What the call sees: the roots of the tree its caller works in. */
  async place(view: WorkspaceView, origin: CallOrigin): Promise<PlacedView> {
    const context = await this.#contextOf(origin);
    let base = view;
    let place = this.#decide(base, context);
    if (origin.lookAgain !== undefined && this.#mayBeOld(base, place, context)) {
      base = await origin.lookAgain();
      place = this.#decide(base, context);
    }
    const placed = await this.#view(base, place, context.signal?.source, origin);
    this.#tell(placed, place, origin);
    return placed;
  }

  #tell(placed: PlacedView, place: Place, { meta, client }: CallOrigin): void {
    const { onCaller } = this.#prepared.options;
    if (onCaller === undefined) return;
    onCaller({
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
    const origin: CallOrigin = { meta: undefined, client: undefined, transport, tree: directory };
    const context = await this.#contextOf(origin);
    const path = gitFacts.canonical(directory);
    const place = this.#decide(base, context);
    if (path === undefined || context.signal === undefined || place.kind === 'unclear') return undefined;
    if (place.kind === 'moved') await this.#view(base, place, 'handle', origin);
    else if (!base.scope().contains(path)) return undefined;
    const { roots } = base.snapshot();
    return this.#prepared.handles.mint(roots, principal, place.kind === 'moved' ? place.tree.top : path);
  }

  async #contextOf({ meta, client, tree, transport }: CallOrigin): Promise<CallerContext> {
    const { clientRoots } = await this.#prepared.sources(transport);
    const signal = clientRoots === 'ignore' ? undefined : this.#signalOf(meta, tree);
    const now = this.#prepared.clock.now();
    // Where each request is a connection of its own, what came since the server started counts, for a day.
    const connectedAt = this.#lasts() ? this.#connectedAt : Math.max(this.#prepared.startedAt, now - DAY_MS);
    return { signal, client, connectedAt, now };
  }

  #signalOf(meta: unknown, tree: string | undefined): CallerSignal | undefined {
    if (tree !== undefined) return { source: 'handle', directory: tree };
    const binding = this.#bindingOf(meta);
    return binding === undefined ? undefined : { source: 'agent', directory: binding.cwd };
  }

  #bindingOf(meta: unknown): CallerBinding | undefined {
    const id = callIdOf(meta);
    return id === undefined ? undefined : this.bindings.get(id);
  }

  #decide(view: WorkspaceView, context: CallerContext): Place {
    return placeCall(view.snapshot().roots, context, gitFacts);
  }

  #mayBeOld(view: WorkspaceView, place: Place, context: CallerContext): boolean {
    if (place.kind === 'unclear') return place.why !== 'unconfirmed';
    return context.signal === undefined && mayBeLeft(view.snapshot().roots, context, gitFacts);
  }

  async #view(
    base: WorkspaceView,
    place: Place,
    source: CallerSignal['source'] | undefined,
    { transport }: CallOrigin,
  ): Promise<PlacedView> {
    if (place.kind === 'here') return new PlacedView(base, { known: place.known });
    if (place.kind === 'moved' && source !== undefined) {
      const { reading } = await this.#prepared.sources(transport);
      const moved = await moveRoots(base.snapshot(), place, source, reading);
      return new PlacedView(base, {
        known: source,
        moved: viewSnapshot(moved, this.#prepared.createScope),
      });
    }
    if (place.kind !== 'unclear') return new PlacedView(base, { known: undefined });
    const { roots } = base.snapshot();
    // A handle was made for a tree that could be served; without it the call means nothing.
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

function callIdOf(meta: unknown): string | undefined {
  const id = isObject(meta) ? meta[CALL_ID_KEY] : undefined;
  return typeof id === 'string' ? id : undefined;
}
