import { McpServer, type CallToolResult, type InputRequiredResult } from '@modelcontextprotocol/server';
import type { ServerContext } from '@modelcontextprotocol/server';
import { isObject } from '@rootward/core/platform';
import type { WorkspaceServer, WorkspaceServerContext } from '@rootward/mcp';
import { callTool, noteTools } from '@rootward/mcp/host';
import type { Tool } from './define-tool.js';
import { listedSchemas } from './listed-schema.js';
import { wrapRequests, type Wrappers } from './wrap-requests.js';

type Handler = (request: unknown, ctx: object) => unknown;

/** Runs tools for the server that they were called on. */
export interface CallRunner {
  run(
    tool: Tool,
    args: Record<string, unknown>,
    ctx: WorkspaceServerContext,
  ): Promise<CallToolResult | InputRequiredResult>;
}

/** What a call of a tool needs of its server. */
interface Caller {
  readonly server: WorkspaceServer;
  readonly runner: CallRunner;
}

type CalledContext = ServerContext & { readonly caller: Caller };

/**
 * Tools that are registered once and served by any number of servers. Over HTTP each session has a server, and each
 * modern request; to register all tools with each would take 110 KB of every session, and most of the time of a request.
 */
export class SharedTools {
  readonly #names: ReadonlySet<string>;
  /** Those that nobody has called or listed yet: a process that starts has better things to do. */
  readonly #waiting: Map<string, Tool>;
  /** Never connected: it checks arguments and results, and makes the list. */
  readonly #registry = new McpServer({ name: 'rootward', version: '' });
  /** What it does for a request. */
  readonly #handlers = new Map<string, Handler>();
  #listed: readonly unknown[] | undefined;
  readonly #wrappers: Wrappers<Caller> = new Map([
    [
      'tools/list',
      async (_request, _ctx, handle) => {
        const result = await handle();
        const rest = isObject(result) && Array.isArray(result['tools']) ? result['tools'] : [];
        return { ...(isObject(result) && result), tools: [...this.#list(), ...rest.filter(this.#isOther)] };
      },
    ],
    [
      'tools/call',
      async (request, ctx, handle, caller) =>
        this.#names.has(nameIn(request)) ? this.#call(request, { ...ctx, caller }) : handle(),
    ],
  ]);

  constructor(tools: readonly Tool[]) {
    this.#waiting = new Map(tools.map((tool) => [tool.name, tool]));
    this.#names = new Set(this.#waiting.keys());
    Object.defineProperty(this.#registry.server, 'setRequestHandler', {
      value: (method: string, handler: Handler) => void this.#handlers.set(method, handler),
    });
  }

  /** Serves them beside what is registered with the server. A tool of the same name there is not seen. */
  serveOn(server: WorkspaceServer, runner: CallRunner): void {
    const [first] = this.#names;
    if (first === undefined) return;
    noteTools(server, this.#names);
    wrapRequests(server, this.#wrappers, { server, runner });
    // `McpServer` serves tools from the first one on that is registered with it.
    server.registerTool(first, {}, () => ({ content: [] })).remove();
  }

  #call(request: unknown, ctx: CalledContext): unknown {
    const waiting = this.#waiting.get(nameIn(request));
    if (waiting !== undefined) this.#register(waiting);
    return this.#handlers.get('tools/call')?.(request, ctx);
  }

  #list(): readonly unknown[] {
    if (this.#listed !== undefined) return this.#listed;
    for (const tool of this.#waiting.values()) this.#register(tool);
    const result: unknown = this.#handlers.get('tools/list')?.({}, {});
    const all: readonly unknown[] = isObject(result) && Array.isArray(result['tools']) ? result['tools'] : [];
    const byName = new Map(all.map((tool) => [isObject(tool) ? tool['name'] : undefined, tool]));
    // Those that were called first were registered first.
    this.#listed = [...this.#names].map((name) => byName.get(name));
    return this.#listed;
  }

  #register(tool: Tool): void {
    const { name, title, description, annotations, output } = tool;
    this.#waiting.delete(name);
    const config = { title, description, annotations, ...listedSchemas(tool) };
    this.#registry.registerTool(name, config, (args: Record<string, unknown>, ctx) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `serveOn` is the only one that calls
      const { caller } = ctx as CalledContext;
      const called = { tool: name, hasOutputSchema: output !== undefined };
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what `run` returns comes back
      return callTool(caller.server, called, args, ctx, (inside) =>
        caller.runner.run(tool, args, inside),
      ) as Promise<CallToolResult | InputRequiredResult>;
    });
  }

  readonly #isOther = (tool: unknown): boolean => !isObject(tool) || !this.#names.has(String(tool['name']));
}

function nameIn(request: unknown): string {
  const params = isObject(request) ? request['params'] : undefined;
  return isObject(params) ? String(params['name']) : '';
}
