import type { RootsPort, WorkspaceView } from '@rootward/core';
import type { PreparedWorkspace } from '../context/prepared-workspace.js';
import { carriesRequests, isFedByRequest, transportKind } from '../context/transport-kind.js';
import { LazyWorkspaceContext } from '../context/workspace-context.js';
import type { WorkspaceContext } from '../context/workspace-context.js';
import { askLeniently, LegacyConnection } from '../legacy/legacy-connection.js';
import { hookConnect } from './hook-connect.js';
import { hookNotifications } from './hook-notifications.js';
import type { AskOptions, Call, HookedServer, SdkPort } from './sdk-port.js';

/** Advertised so that a client which keeps its directory there sends it along. */
const SANDBOX_CAPABILITY = 'codex/sandbox-state-meta';
/** Beyond the time an answer is welcome: the workspace decides, the SDK's own limit only clears up after it. */
const CLEAR_UP_MS = 1000;
const BINDING = Symbol('rootward workspace');

/** Ties a server to workspaces: one per connection of the legacy era, one per request of the modern one. */
export class ServerBinding<Context> {
  readonly sdk: SdkPort<Context>;
  readonly #server: HookedServer;
  readonly #prepared: PreparedWorkspace;
  #connection: LegacyConnection | undefined;

  /** The binding of this server, made on first use. A server has one; later options are not looked at. */
  static of<Context>(
    server: { readonly server: HookedServer },
    prepare: () => { readonly prepared: PreparedWorkspace; readonly sdk: SdkPort<Context> },
  ): ServerBinding<Context> {
    const known: unknown = Reflect.get(server, BINDING);
    if (known instanceof ServerBinding) return known;
    const { prepared, sdk } = prepare();
    const binding = new ServerBinding(server.server, prepared, sdk);
    Object.defineProperty(server, BINDING, { value: binding });
    return binding;
  }

  private constructor(server: HookedServer, prepared: PreparedWorkspace, sdk: SdkPort<Context>) {
    this.sdk = sdk;
    this.#server = server;
    this.#prepared = prepared;
    if (prepared.options.clientRoots !== 'ignore') {
      server.registerCapabilities({ experimental: { [SANDBOX_CAPABILITY]: {} } });
    }
    hookConnect(server, (transport) => {
      const previous = this.#connection;
      const opened = (this.#connection = this.#connect(transport));
      return { opened, undo: () => (this.#connection = previous) };
    });
    hookNotifications(server, sdk, {
      'notifications/initialized': () => this.#connection?.initialized(),
      'notifications/roots/list_changed': () => this.#connection?.rootsChanged(),
    });
  }

  /** `mayAsk` is false where the result of a modern request cannot ask back. */
  call(ctx: Context, args: unknown, mayAsk = true): Call {
    return this.sdk.call(ctx, { args, mayAsk, legacy: () => this.#legacyContext(ctx) });
  }

  /** Counts a refusal for the statistics of the connection. */
  countRefusal(error: unknown): void {
    this.#connection?.countRefusal(error);
  }

  #legacyContext(ctx: Context): WorkspaceContext {
    const { transport } = this.#server;
    const connection = (this.#connection ??= this.#connect(transport));
    const port = carriesRequests(transport)
      ? this.#port((options) => this.sdk.askWithin(ctx, options))
      : undefined;
    const { meta, signal } = this.sdk.request(ctx);
    const view = (): Promise<WorkspaceView> => connection.view({ meta, signal, port });
    return new LazyWorkspaceContext({
      view,
      live: async () => {
        await view();
        return connection.live();
      },
      handle: () => undefined,
    });
  }

  #connect(transport: object | undefined): LegacyConnection {
    const server = this.#server;
    return new LegacyConnection(this.#prepared, {
      transport: transportKind(transport),
      capabilities: () => server.getClientCapabilities(),
      clientInfo: () => server.getClientVersion(),
      port: isFedByRequest(transport) ? undefined : this.#port((options) => this.sdk.ask(options)),
    });
  }

  #port(ask: (options: AskOptions) => Promise<unknown>): RootsPort {
    const timeout = this.#prepared.limits.answerTimeout + CLEAR_UP_MS;
    return { ask: (signal) => askLeniently(() => ask({ signal, timeout })) };
  }
}
