import type { CallToolResult, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server';
import { isObject } from '@rootward/core/platform';
import type { WorkspaceServer, WorkspaceServerContext } from '@rootward/mcp';
import { callTool, noteTools } from '@rootward/mcp/host';
import type { CompleteAnnotations, Tool } from './define-tool.js';
import { inputOf, listedSchemas } from './listed-schema.js';
import { readArguments } from './read-arguments.js';
import { wrapRequests, type Wrappers } from './wrap-requests.js';

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

/**
 * Tools that are described once and served by any number of servers. Over HTTP each session has a server, and each
 * modern request; to register all tools with each would take 110 KB of every session, and most of the time of a request.
 */
export class SharedTools {
  readonly #tools: ReadonlyMap<string, Tool>;
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
      async (request, ctx, handle, caller) => {
        const { name, args } = calledIn(request);
        const tool = this.#tools.get(name);
        return tool === undefined ? handle() : call(tool, args, ctx, caller);
      },
    ],
  ]);

  constructor(tools: readonly Tool[]) {
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
  }

  /** Serves them beside what is registered with the server. A tool of the same name there is not seen. */
  serveOn(server: WorkspaceServer, runner: CallRunner): void {
    const [first] = this.#tools.keys();
    if (first === undefined) return;
    noteTools(server, new Set(this.#tools.keys()));
    wrapRequests(server, this.#wrappers, { server, runner });
    // `McpServer` serves tools from the first one on that is registered with it.
    server.registerTool(first, {}, () => ({ content: [] })).remove();
  }

  #list(): readonly unknown[] {
    return (this.#listed ??= [...this.#tools.values()].map(describeTool));
  }

  readonly #isOther = (tool: unknown): boolean => !isObject(tool) || !this.#tools.has(String(tool['name']));
}

/** Describes a tool as it is listed. */
function describeTool(tool: Tool): object {
  const { name, title, description } = tool;
  return { name, title, description, annotations: unusual(tool.annotations), ...listedSchemas(tool) };
}

/** Checks the arguments and runs the tool. Errors that are not ours become results, as `McpServer` does it. */
async function call(
  tool: Tool,
  given: unknown,
  ctx: ServerContext,
  { server, runner }: Caller,
): Promise<unknown> {
  const called = { tool: tool.name, hasOutputSchema: tool.output !== undefined };
  try {
    return await callTool(server, called, given, ctx, (inside) => {
      const args = readArguments(tool.name, given, inputOf(tool), listedSchemas(tool).inputSchema);
      return runner.run(tool, args, inside);
    });
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return { content: [{ type: 'text', text }], isError: true };
  }
}

/** The annotations that differ from what the protocol assumes where one is left out. */
function unusual(annotations: CompleteAnnotations): Partial<CompleteAnnotations> {
  const entries = Object.entries(annotations).filter(
    ([name, value]) => value !== (name === 'destructiveHint' || name === 'openWorldHint'),
  );
  // A tool that only reads is neither destructive nor repeated with an effect.
  return Object.fromEntries(
    annotations.readOnlyHint
      ? entries.filter(([name]) => name === 'readOnlyHint' || name === 'openWorldHint')
      : entries,
  );
}

function calledIn(request: unknown): { readonly name: string; readonly args: unknown } {
  const params = isObject(request) ? request['params'] : undefined;
  return isObject(params)
    ? { name: String(params['name']), args: params['arguments'] }
    : { name: '', args: {} };
}
