import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { getMethodLiteral } from '@modelcontextprotocol/sdk/server/zod-json-schema-compat.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  ErrorCode,
  InitializedNotificationSchema,
  ResultSchema,
  RootsListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js';
import type { RootsPort, WorkspaceView } from '@rootward/core';
import { isObject } from '../stdio/message.js';
import { askLeniently, LegacyConnection } from '../workspace/legacy-connection.js';
import { PreparedWorkspace } from '../workspace/prepared-workspace.js';
import type { WorkspaceOptions } from '../workspace/prepared-workspace.js';
import { isFedByRequest, reachOf } from '../workspace/reach.js';
import { LazyWorkspaceContext } from '../workspace/workspace-context.js';
import type { WorkspaceContext } from '../workspace/workspace-context.js';

export type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** Advertised so that a client which keeps its directory there sends it along. */
const SANDBOX_CAPABILITY = 'codex/sandbox-state-meta';
const ROOTS_LIST = { method: 'roots/list' } as const;
/** Beyond the time an answer is welcome: the workspace decides, the SDK's own limit only clears up after it. */
const CLEAR_UP_MS = 1000;
const BINDING = Symbol('rootward workspace');

/** Ties an `McpServer` of SDK v1 to one workspace per connection. */
export class ServerBinding {
  readonly #prepared: PreparedWorkspace;
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
    this.#prepared = options instanceof PreparedWorkspace ? options : new PreparedWorkspace(options);
    this.#server = server;
    if (this.#prepared.options.clientRoots !== 'ignore') {
      server.registerCapabilities({ experimental: { [SANDBOX_CAPABILITY]: {} } });
    }
    this.#hookConnect(server);
    hookNotifications(server, () => this.#connection);
  }

  context(extra: Extra): WorkspaceContext {
    const { transport } = this.#server;
    const connection = (this.#connection ??= this.#connect(transport));
    const port = isFedByRequest(transport)
      ? this.#port((options) => extra.sendRequest(ROOTS_LIST, ResultSchema, options))
      : undefined;
    const { _meta: meta, signal } = extra;
    const view = (): Promise<WorkspaceView> => connection.view({ meta, signal, port });
    return new LazyWorkspaceContext({
      view,
      live: async () => {
        await view();
        return connection.live();
      },
      handle: () => Promise.resolve(undefined),
    });
  }

  /** Counts a refusal for the statistics of the connection. */
  countRefusal(error: unknown): void {
    this.#connection?.countRefusal(error);
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
    return new LegacyConnection(this.#prepared, {
      reach: reachOf(transport),
      capabilities: () => server.getClientCapabilities(),
      clientInfo: () => server.getClientVersion(),
      port: isFedByRequest(transport)
        ? undefined
        : this.#port((options) => server.request(ROOTS_LIST, ResultSchema, options)),
    });
  }

  #port(ask: (options: { signal: AbortSignal; timeout: number }) => Promise<unknown>): RootsPort {
    const timeout = this.#prepared.limits.answerTimeout + CLEAR_UP_MS;
    return { ask: (signal) => askLeniently(() => unlessLost(() => ask({ signal, timeout }))) };
  }
}

/** SDK v1 reports a request that got no answer with a numeric code, as if the client had refused. */
async function unlessLost(ask: () => Promise<unknown>): Promise<unknown> {
  try {
    return await ask();
  } catch (cause) {
    if (isTimeout(cause)) throw new Error('no answer came', { cause });
    throw cause;
  }
}

/**
 * A client may use the same code; only the SDK says which time ran out. Told by its members: the SDK comes in two
 * builds, and an author who calls `require` has the classes of the other one.
 */
function isTimeout(error: unknown): boolean {
  if (!isObject(error)) return false;
  const { code, data } = error;
  return code === ErrorCode.RequestTimeout && isObject(data) && 'timeout' in data;
}

/** An author may listen to the same notifications, and stop listening; the connection is told all the same. */
function hookNotifications(server: Server, connection: () => LegacyConnection | undefined): void {
  const setHandler = server.setNotificationHandler.bind(server);
  const removeHandler = server.removeNotificationHandler.bind(server);
  const initialized = (): void => connection()?.initialized();
  const rootsChanged = (): void => connection()?.rootsChanged();
  const told = new Map([
    ['notifications/initialized', initialized],
    ['notifications/roots/list_changed', rootsChanged],
  ]);
  server.setNotificationHandler = (schema, handler) => {
    // By method, as the SDK does: an author may bring a schema of their own, or of the other build of the SDK.
    const tell = told.get(getMethodLiteral(schema));
    setHandler(schema, (notification) => {
      tell?.();
      return handler(notification);
    });
  };
  server.removeNotificationHandler = (method) => {
    if (method === 'notifications/initialized') setHandler(InitializedNotificationSchema, initialized);
    else if (method === 'notifications/roots/list_changed') {
      setHandler(RootsListChangedNotificationSchema, rootsChanged);
    } else removeHandler(method);
  };
  server.setNotificationHandler(InitializedNotificationSchema, () => server.oninitialized?.());
  setHandler(RootsListChangedNotificationSchema, rootsChanged);
}
