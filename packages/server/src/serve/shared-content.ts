import { McpServer, ProtocolError, ProtocolErrorCode, specTypeSchemas } from '@modelcontextprotocol/server';
import type { ServerContext, StandardSchemaV1 } from '@modelcontextprotocol/server';
import { isObject, type JsonObject } from '@rootward/core/platform';
import type { WorkspaceServer } from '@rootward/mcp';
import { serveInWorkspace } from '@rootward/mcp/host';
import type { LegacySession } from './legacy-session.js';

type Handler = (request: unknown, ctx: ServerContext) => unknown;
type SessionContext = ServerContext & { readonly session: LegacySession };

/** What the SDK checks a request against before a handler of its own gets it. Each is made when it is first asked for. */
const REQUESTS: Readonly<Record<string, () => StandardSchemaV1>> = {
  'prompts/get': () => specTypeSchemas.GetPromptRequest,
  'prompts/list': () => specTypeSchemas.ListPromptsRequest,
  'resources/list': () => specTypeSchemas.ListResourcesRequest,
  'resources/read': () => specTypeSchemas.ReadResourceRequest,
  'resources/subscribe': () => specTypeSchemas.SubscribeRequest,
  'resources/templates/list': () => specTypeSchemas.ListResourceTemplatesRequest,
  'resources/unsubscribe': () => specTypeSchemas.UnsubscribeRequest,
};

/**
 * Resources and prompts that are registered once and served by the servers of all legacy sessions: to register them with
 * each takes 14 KB. What belongs to one client, handlers find through `sessionOf`.
 */
export class SharedContent {
  /** Never connected: it finds what a request is about, and makes the lists. */
  readonly #registry = new McpServer({ name: 'rootward', version: '' });
  readonly #handlers = new Map<string, Handler>();

  constructor(register: (registry: WorkspaceServer) => void) {
    Object.defineProperty(this.#registry.server, 'setRequestHandler', {
      value: (method: string, ...given: unknown[]) => this.#keep(method, given),
      configurable: true,
    });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `serve` adds the workspace to each context
    register(this.#registry as WorkspaceServer);
  }

  /** Serves it on a server that `withWorkspace` was applied to, and that registers no resources or prompts itself. */
  serveOn(session: LegacySession): void {
    const { server } = session.server;
    server.registerCapabilities(this.#registry.server.getCapabilities());
    server.fallbackRequestHandler = async (request, ctx) => this.#serve(request, ctx, session);
  }

  async #serve(
    request: { readonly method: string },
    ctx: ServerContext,
    session: LegacySession,
  ): Promise<JsonObject> {
    const handler = this.#handlers.get(request.method);
    if (handler === undefined) throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found');
    const called: SessionContext = { ...ctx, session };
    const result = await serveInWorkspace(session.server, called, (inside) => handler(request, inside));
    return isObject(result) ? result : {};
  }

  /** A method that is not part of the protocol comes with the schema of its parameters, which may be made when it is read. */
  #keep(method: string, given: readonly unknown[]): void {
    const handler = given.at(-1);
    if (typeof handler !== 'function') return;
    const [schemas] = given;
    this.#handlers.set(method, async (request, ctx) => {
      const own = isObject(schemas) ? schemas['params'] : undefined;
      const asked = own === undefined ? request : isObject(request) ? { ...asObject(request['params']) } : {};
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the SDK takes no other schemas
      const value = await check(method, (own as StandardSchemaV1 | undefined) ?? REQUESTS[method]?.(), asked);
      return Reflect.apply(handler, undefined, [value, ctx]);
    });
  }
}

/** The session that a request of `SharedContent` came over. */
export function sessionOf(ctx: ServerContext): LegacySession {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `SharedContent` is the only one that calls
  return (ctx as SessionContext).session;
}

async function check(method: string, schema: StandardSchemaV1 | undefined, value: unknown): Promise<unknown> {
  const result = await schema?.['~standard'].validate(value);
  if (result === undefined) return value;
  if (result.issues === undefined) return result.value;
  const told = result.issues.map(({ path = [], message }) => {
    const place = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
    return place === '' ? message : `${place}: ${message}`;
  });
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Invalid params for ${method}: ${told.join('; ')}`,
  );
}

function asObject(value: unknown): object {
  return isObject(value) ? value : {};
}
