import { CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY } from '@modelcontextprotocol/server';
import type {
  McpServer,
  Server,
  ServerContext,
  StandardSchemaV1,
  Transport,
} from '@modelcontextprotocol/server';
import type { ClientInfo, RootsPort, Workspace, WorkspaceView } from '@rootward/core';
import { isObject } from '../stdio/message.js';
import { askLeniently, LegacyConnection } from '../workspace/legacy-connection.js';
import type { ClientLink } from '../workspace/legacy-connection.js';
import { mustAsk, openForRequest, viewModernRequest } from '../workspace/modern-request.js';
import type { ModernRequest } from '../workspace/modern-request.js';
import type { PreparedWorkspace, Reach, WorkspaceOptions } from '../workspace/prepared-workspace.js';
import { isFedByRequest, reachOf } from '../workspace/reach.js';
import { carriesRoots, readRootsAnswer } from '../workspace/roots-answer.js';
import { LazyWorkspaceContext } from '../workspace/workspace-context.js';
import type { WorkspaceContext } from '../workspace/workspace-context.js';
import { invalidHandle } from './handle-codec.js';
import { needsRoots } from './needs-roots.js';
import { toPrepared } from './prepare-workspace.js';
import type { ModernPreparedWorkspace } from './prepare-workspace.js';

const FIRST_MODERN_REVISION = '2026-07-28';
/** Advertised so that a client which keeps its directory there sends it along. */
const SANDBOX_CAPABILITY = 'codex/sandbox-state-meta';
const BINDING = Symbol('rootward workspace');

/** Takes any result as it is: the SDK's own schema rejects a whole list for one root it does not like. */
const ANYTHING: StandardSchemaV1<unknown, unknown> = {
  '~standard': { version: 1, vendor: 'rootward', validate: (value) => ({ value }) },
};

/** A transport may say that no request of ours can travel inside the client's own. */
interface TransportHints {
  readonly carriesRequests?: boolean;
}

/** One call as its handler sees it. */
export interface Call {
  readonly workspace: WorkspaceContext;
  /** The handler wanted roots that only the client can give, in answer to a question of ours. */
  needsRoots: boolean;
  /** The request brought the client's roots along, because an earlier round needed them; so will the next one. */
  readonly carriesRoots: boolean;
  dispose(): void;
}

/** Ties an `McpServer` to workspaces: one per connection of the legacy era, one per request of the modern one. */
export class ServerBinding {
  readonly prepared: ModernPreparedWorkspace;
  readonly #server: Server;
  #connection: LegacyConnection | undefined;

  /** The binding of this server, made on first use. A server has one; later options are not looked at. */
  static of(server: McpServer, options: WorkspaceOptions | PreparedWorkspace): ServerBinding {
    const known: unknown = Reflect.get(server, BINDING);
    if (known instanceof ServerBinding) return known;
    const binding = new ServerBinding(server.server, options);
    Object.defineProperty(server, BINDING, { value: binding });
    return binding;
  }

  private constructor(server: Server, options: WorkspaceOptions | PreparedWorkspace) {
    this.prepared = toPrepared(options);
    this.#server = server;
    if (this.prepared.options.clientRoots !== 'ignore') {
      server.registerCapabilities({ experimental: { [SANDBOX_CAPABILITY]: {} } });
    }
    this.#hookConnect(server);
    hookNotifications(server, () => this.#connection);
  }

  /** `mayAsk` is false where the result of a modern request cannot ask back. */
  call(ctx: ServerContext, args: unknown, mayAsk = true): Call {
    return this.#isModern() ? this.#modernCall(ctx, args, mayAsk) : this.#legacyCall(ctx);
  }

  /** Counts a refusal for the statistics of the connection. */
  countRefusal(error: unknown): void {
    this.#connection?.countRefusal(error);
  }

  #isModern(): boolean {
    const revision = this.#server.getNegotiatedProtocolVersion();
    return revision !== undefined && revision >= FIRST_MODERN_REVISION;
  }

  #legacyCall(ctx: ServerContext): Call {
    const connection = (this.#connection ??= this.#connect(this.#server.transport));
    const { transport } = this.#server;
    const { _meta: meta, signal, send } = ctx.mcpReq;
    const port =
      isFedByRequest(transport) && carriesRequests(transport)
        ? this.#port((options) => send(ROOTS_LIST, ANYTHING, options))
        : undefined;
    const view = (): Promise<WorkspaceView> => connection.view({ meta, signal, port });
    return {
      workspace: new LazyWorkspaceContext({
        view,
        live: async () => {
          await view();
          return connection.live();
        },
        handle: () => Promise.resolve(undefined),
      }),
      needsRoots: false,
      carriesRoots: false,
      dispose: () => undefined,
    };
  }

  #modernCall(ctx: ServerContext, args: unknown, mayAsk: boolean): Call {
    const { prepared } = this;
    let request: Promise<ModernRequest> | undefined;
    const opened: Workspace[] = [];
    const resolve = (): Promise<ModernRequest> => {
      request ??= this.#readModernRequest(ctx, args).then(async (read) => {
        if (read.declaresRoots) prepared.noteDeprecation();
        call.needsRoots = mayAsk && (await mustAsk(prepared, read));
        if (call.needsRoots) throw needsRoots;
        return read;
      });
      return request;
    };
    const call: Call = {
      workspace: new LazyWorkspaceContext({
        view: async () => viewModernRequest(prepared, await resolve()),
        live: async () => {
          const workspace = await openForRequest(prepared, await resolve());
          opened.push(workspace);
          return workspace;
        },
        handle: (view, roots) =>
          roots === undefined
            ? this.prepared.handles.mint(view.snapshot().roots, ctx)
            : this.prepared.handles.mintFor(roots, ctx),
      }),
      needsRoots: false,
      carriesRoots: carriesRoots(ctx.mcpReq.inputResponses),
      dispose: () => {
        for (const workspace of opened) workspace.dispose();
      },
    };
    return call;
  }

  async #readModernRequest(ctx: ServerContext, args: unknown): Promise<ModernRequest> {
    const { envelope, inputResponses, droppedInputResponseKeys, _meta: meta, signal } = ctx.mcpReq;
    const sent: unknown = envelope;
    const capabilities = isObject(sent) ? sent[CLIENT_CAPABILITIES_META_KEY] : undefined;
    const reach: Reach = ctx.http === undefined ? 'local' : 'http';
    const { clientRoots } = await this.prepared.sources(reach);
    const declaresRoots = isObject(capabilities) && isObject(capabilities['roots']);
    return {
      reach,
      declaresRoots,
      clientInfo: readClientInfo(sent),
      answer: declaresRoots
        ? readRootsAnswer({ accepted: inputResponses, dropped: droppedInputResponseKeys ?? [] })
        : undefined,
      handle: clientRoots === 'ignore' ? undefined : await this.#readHandle(ctx, args),
      meta,
      signal,
    };
  }

  async #readHandle(ctx: ServerContext, args: unknown): Promise<ModernRequest['handle']> {
    const name = this.prepared.handleArgument;
    if (name === false || !isObject(args)) return undefined;
    const handle = args[name];
    if (handle === undefined) return undefined;
    if (typeof handle !== 'string') throw invalidHandle('it is not a handle');
    return this.prepared.handles.verify(handle, ctx);
  }

  /** The connection ends with its transport, whoever closes it. */
  #hookConnect(server: Server): void {
    const connect = server.connect.bind(server);
    server.connect = async (transport) => {
      const previous = this.#connection;
      const connection = this.#connect(transport);
      this.#connection = connection;
      const { onclose } = transport;
      transport.onclose = () => {
        onclose?.();
        connection.dispose();
      };
      try {
        await connect(transport);
      } catch (error) {
        // The SDK refuses a second transport; the first goes on, with the roots of its own client.
        this.#connection = previous;
        connection.dispose();
        throw error;
      }
    };
  }

  #connect(transport: Transport | undefined): LegacyConnection {
    const server = this.#server;
    const link: ClientLink = {
      reach: reachOf(transport),
      capabilities: () => server.getClientCapabilities(),
      clientInfo: () => server.getClientVersion(),
      port: isFedByRequest(transport)
        ? undefined
        : this.#port((options) => server.request(ROOTS_LIST, ANYTHING, options)),
    };
    return new LegacyConnection(this.prepared, link);
  }

  /** The workspace decides how long an answer is welcome; the SDK's own limit only clears up after it. */
  #port(ask: (options: { signal: AbortSignal; timeout: number }) => Promise<unknown>): RootsPort {
    const timeout = this.prepared.limits.answerTimeout + CLEAR_UP_MS;
    return { ask: (signal) => askLeniently(() => ask({ signal, timeout })) };
  }
}

const ROOTS_LIST = { method: 'roots/list' } as const;
const CLEAR_UP_MS = 1000;

function carriesRequests(transport: (Transport & TransportHints) | undefined): boolean {
  return transport?.carriesRequests ?? true;
}

function readClientInfo(envelope: unknown): ClientInfo | undefined {
  const info = isObject(envelope) ? envelope[CLIENT_INFO_META_KEY] : undefined;
  if (!isObject(info) || typeof info['name'] !== 'string') return undefined;
  const { name, version } = info;
  return typeof version === 'string' ? { name, version } : { name };
}

/** An author may listen to the same notifications, and stop listening; the connection is told all the same. */
function hookNotifications(server: Server, connection: () => LegacyConnection | undefined): void {
  const setHandler = server.setNotificationHandler.bind(server);
  const removeHandler = server.removeNotificationHandler.bind(server);
  const told = new Map<string, () => void>([
    ['notifications/initialized', () => connection()?.initialized()],
    ['notifications/roots/list_changed', () => connection()?.rootsChanged()],
  ]);
  server.setNotificationHandler = (method: string, ...rest: unknown[]): void => {
    const tell = told.get(method);
    const handler = rest.at(-1);
    const both = (...args: unknown[]): unknown => {
      tell?.();
      return typeof handler === 'function' ? handler(...args) : undefined;
    };
    const hooked = tell === undefined ? rest : [...rest.slice(0, -1), both];
    Reflect.apply(setHandler, server, [method, ...hooked]);
  };
  server.removeNotificationHandler = (method): void => {
    const tell = told.get(method);
    if (tell === undefined) removeHandler(method);
    else Reflect.apply(setHandler, server, [method, tell]);
  };
  server.setNotificationHandler('notifications/initialized', () => server.oninitialized?.());
  server.removeNotificationHandler('notifications/roots/list_changed');
}
