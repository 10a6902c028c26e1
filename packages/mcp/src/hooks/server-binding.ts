import type { RootsPort, WorkspaceView } from '@rootward/core';
import { Callers } from '../context/callers.js';
import { invalidOption } from '../context/check-options.js';
import type { HandleContent } from '../context/handle-codec.js';
import { keepsConnection, type ConnectionKeeper, type KeptConnection } from '../context/kept-connection.js';
import type { PlacedView } from '../context/placed-view.js';
import { newSession, principalDigest, RecordedContext } from '../context/kept-changes.js';
import { ownerOf } from '../context/principal.js';
import type { PreparedWorkspace } from '../context/prepared-workspace.js';
import { viewRequest } from '../context/request-view.js';
import { carriesRequests, hasSession, isFedByRequest, transportKind } from '../context/transport-kind.js';
import type { TransportKind } from '../context/transport-kind.js';
import { LazyWorkspaceContext, type WorkspaceContext } from '../context/workspace-context.js';
import type { ConnectionObserver, WorkspaceOptions } from '../context/workspace-options.js';
import { askLeniently, LegacyConnection } from '../legacy/legacy-connection.js';
import { connectHook, type Opened } from './hook-connect.js';
import { notificationHooks } from './hook-notifications.js';
import { replaceShared } from './replace-method.js';
import { isLowLevel, protocolOf } from './sdk-port.js';
import type { AnyServer, AskOptions, Call, HookedNotification, HookedServer, SdkPort } from './sdk-port.js';

/** A client that knows this capability sends its directory with each call, once the server advertises it. */
const SANDBOX_CAPABILITY = 'codex/sandbox-state-meta';
/** Longer than the workspace waits for an answer: the workspace decides, and the SDK's limit only cleans up. */
const CLEAR_UP_MS = 1000;
/** The tool of the server that names the roots, and gives handles for working trees. */
export const HANDLE_TOOL = 'workspace_info';
const BINDING = Symbol('rootward workspace');
const NO_TOOLS: ReadonlySet<string> = new Set();

/** Ties a server to workspaces: one per connection of the legacy era, one per request of the modern one. */
export class ServerBinding<Context> {
  readonly sdk: SdkPort<Context>;
  /** Whether the author of the server sets the handlers of requests. */
  readonly lowLevel: boolean;
  readonly #server: HookedServer;
  readonly #prepared: PreparedWorkspace;
  /** The names of the tools that the author registered. */
  #tools: Set<string> | undefined;
  /** The names of tools that are served without being registered. */
  #others: ReadonlySet<string> = NO_TOOLS;
  /** What the history calls the connection, once there is something to call so. */
  #session: string | undefined;
  #observer: ConnectionObserver;
  #connection: LegacyConnection | undefined;
  #callers: Callers | undefined;
  #arrived: (() => number) | undefined;

  /** The binding of this server, made on first use. A server has only one, so options of later calls do not count. */
  static of<Context>(
    server: AnyServer,
    prepare: () => { readonly prepared: PreparedWorkspace; readonly sdk: SdkPort<Context> },
  ): ServerBinding<Context> {
    const known: unknown = Reflect.get(server, BINDING);
    if (known instanceof ServerBinding) return known;
    const { prepared, sdk } = prepare();
    const protocol = protocolOf(server);
    const binding = new ServerBinding(protocol, prepared, sdk, isLowLevel(server));
    for (const bound of new Set([server, protocol]))
      Object.defineProperty(bound, BINDING, { value: binding });
    replaceShared(protocol, CONNECT);
    NOTIFICATIONS.install(protocol);
    return binding;
  }

  /** `arrived` counts the messages that have come to this server, where it has a workspace. */
  static countArrivals(server: object, arrived: () => number): void {
    const known: unknown = Reflect.get(server, BINDING);
    if (known instanceof ServerBinding) known.#arrived = arrived;
  }

  /** The binding of a server that a workspace was added to. */
  static known<Context extends object>(server: object): ServerBinding<Context> {
    const known: unknown = Reflect.get(server, BINDING);
    if (known instanceof ServerBinding) return known;
    throw invalidOption('Cannot serve tools: call withWorkspace() first');
  }

  private constructor(
    server: HookedServer,
    prepared: PreparedWorkspace,
    sdk: SdkPort<Context>,
    lowLevel: boolean,
  ) {
    this.sdk = sdk;
    this.lowLevel = lowLevel;
    this.#server = server;
    this.#prepared = prepared;
    this.#observer = prepared.options;
    if (prepared.options.clientRoots !== 'ignore') {
      server.registerCapabilities({ experimental: { [SANDBOX_CAPABILITY]: {} } });
    }
  }

  /** The server is about to connect to a transport. */
  open(transport: object): Opened<LegacyConnection> {
    const previous = this.#connection;
    const opened = (this.#connection = this.#connect(transport));
    this.#callers = this.#meet(transport);
    if (keepsConnection(transport)) transport.keepWith(new Keeper(this, opened));
    return { opened, previous };
  }

  reopen(previous: LegacyConnection | undefined): void {
    this.#connection = previous;
  }

  heard(method: HookedNotification): void {
    if (method === 'notifications/initialized') this.#connection?.initialized();
    else this.#connection?.rootsChanged();
  }

  /** Who calls over the connection. */
  get callers(): Callers {
    return (this.#callers ??= this.#meet(this.#server.transport));
  }

  get onRefusal(): WorkspaceOptions['onRefusal'] {
    return this.#prepared.options.onRefusal;
  }

  /** Has this one told of the connections to come, in place of what the options name. */
  observeBy(observer: ConnectionObserver): void {
    this.#observer = observer;
  }

  noteTool(name: unknown): void {
    if (typeof name === 'string') (this.#tools ??= new Set()).add(name);
  }

  noteTools(names: ReadonlySet<string>): void {
    this.#others = names;
  }

  has(tool: string): boolean {
    return this.#tools?.has(tool) === true || this.#others.has(tool);
  }

  /** The name of the client that a call comes from. */
  clientOf(ctx: Context): string | undefined {
    return this.sdk.request(ctx).client ?? this.#server.getClientVersion()?.name;
  }

  /** `mayAsk` is false where the result of a modern request cannot ask back. */
  call(ctx: Context, args: unknown, mayAsk = true): Call {
    const { callers } = this;
    callers.handleTool = this.has(HANDLE_TOOL) ? HANDLE_TOOL : undefined;
    return this.sdk.call(ctx, { args, mayAsk, callers, legacy: () => this.#legacyContext(ctx, args) });
  }

  /** The context of a call, whose changes are counted, and kept under the name of its tool where there is a history. */
  recorded(ctx: Context, workspace: WorkspaceContext, tool: string): RecordedContext {
    const { history } = this.#prepared;
    return new RecordedContext(workspace, history, tool, () => {
      const { session = (this.#session ??= newSession()), isHttp } = this.sdk.origin(ctx);
      const principal = isHttp ? principalDigest(ownerOf(this.sdk.request(ctx).principal)) : '';
      return { session, client: this.clientOf(ctx), principal };
    });
  }

  /** Counts a refusal for the statistics of the connection. */
  countRefusal(error: unknown): void {
    this.#connection?.countRefusal(error);
    this.#callers?.base.sawRefusal(error);
  }

  keep(connection: LegacyConnection): KeptConnection {
    return {
      workspace: connection.keep(),
      bindings: this.callers.keepBindings(),
      history: this.#session,
      relativeTo: this.callers.base.known,
    };
  }

  async restore(
    connection: LegacyConnection,
    { workspace, bindings, history, relativeTo }: KeptConnection,
    since: KeptConnection,
  ): Promise<void> {
    this.callers.restoreBindings(bindings);
    if (history !== undefined) this.#session = history;
    this.callers.base.restore(relativeTo, since.relativeTo);
    if (workspace !== undefined)
      await (await connection.live()).restore(workspace, { since: since.workspace ?? {} });
  }

  #legacyContext(ctx: Context, args: unknown): WorkspaceContext {
    const { transport } = this.#server;
    const { callers } = this;
    const connection = (this.#connection ??= this.#connect(transport));
    const port = carriesRequests(transport)
      ? this.#port((options) => this.sdk.askWithin(ctx, options))
      : undefined;
    const { meta, signal, principal, client = this.#server.getClientVersion()?.name } = this.sdk.request(ctx);
    const call = { meta, signal, port };
    const kind = transportKind(transport);
    const came = callers.arrive();
    const lookAgain = (): Promise<WorkspaceView> => connection.viewAfresh(call);
    const origin = { meta, client, transport: kind, came };
    const ofSession = { ...origin, relative: 'session', lookAgain } as const;
    const view = async (): Promise<PlacedView> => {
      const handle = this.#prepared.hasHandle(args)
        ? await this.#readHandle(args, principal, kind)
        : undefined;
      if (handle === undefined) {
        return callers.place(await connection.view(call), ofSession);
      }
      const request = { transport: kind, declaresRoots: true, handle: handle.roots, signal };
      const found = await viewRequest(this.#prepared, request);
      return callers.place(found, { ...origin, relative: 'request', tree: handle.tree });
    };
    return new LazyWorkspaceContext({
      view: () => {
        const known = this.#prepared.hasHandle(args) ? undefined : connection.viewNow(call);
        return known === undefined ? view() : callers.place(known, ofSession);
      },
      live: async () => {
        await connection.view(call);
        return connection.live();
      },
      // Calls never ask twice, so a handle for the roots of the client would save nothing.
      handle: (_view, roots) =>
        roots === undefined ? undefined : this.#prepared.handles.mint(roots, principal),
      treeHandle: (placed, directory) => callers.mintForTree(placed, directory, kind, principal),
      rootsShown: (placed) => callers.base.saw(placed.base.snapshot()),
    });
  }

  async #readHandle(
    args: unknown,
    principal: string,
    kind: TransportKind,
  ): Promise<HandleContent | undefined> {
    const { clientRoots } = await this.#prepared.sources(kind);
    return clientRoots === 'ignore' ? undefined : this.#prepared.readHandle(args, principal);
  }

  /** Over HTTP a server without a session serves one request; whether it has one is known after `initialize`. */
  #meet(transport: object | undefined): Callers {
    const lasts = (): boolean =>
      transport === undefined || !isFedByRequest(transport) || hasSession(transport);
    const callers = new Callers(this.#prepared, lasts, this.#observer);
    callers.arrived = this.#arrived;
    return callers;
  }

  #connect(transport: object | undefined): LegacyConnection {
    const link = {
      transport: transportKind(transport),
      server: this.#server,
      port: isFedByRequest(transport) ? undefined : this.#port((options) => this.sdk.ask(options)),
    };
    return new LegacyConnection(this.#prepared, link, this.#observer);
  }

  #port(ask: (options: AskOptions) => Promise<unknown>): RootsPort {
    const timeout = this.#prepared.limits.answerTimeout + CLEAR_UP_MS;
    return { ask: (signal) => askLeniently(() => ask({ signal, timeout })) };
  }
}

/** Saves and restores one connection of a server. */
class Keeper implements ConnectionKeeper {
  readonly #binding: Pick<ServerBinding<never>, 'keep' | 'restore'>;
  readonly #connection: LegacyConnection;

  constructor(binding: Pick<ServerBinding<never>, 'keep' | 'restore'>, connection: LegacyConnection) {
    this.#binding = binding;
    this.#connection = connection;
  }

  keep(): KeptConnection {
    return this.#binding.keep(this.#connection);
  }

  settled(): Promise<void> {
    return this.#connection.settled();
  }

  restore(kept: KeptConnection, since: KeptConnection): Promise<void> {
    return this.#binding.restore(this.#connection, kept, since);
  }
}

const CONNECT = connectHook<LegacyConnection>((server) => ServerBinding.known(server));
const NOTIFICATIONS = notificationHooks((server) => ServerBinding.known(server));
