import type { CallToolResult, RegisteredTool } from '@modelcontextprotocol/server';
import { isObject, type JsonObject, disposable } from '@rootward/core/platform';
import type { WorkspaceServer, WorkspaceServerContext } from '@rootward/mcp';
import type { WrappedServer, WrappedTool } from '@rootward/wrap';
import { argumentSchema, type CheckedArguments } from '../../exec/catalogue/argument-schema.js';
import type { AuditRecord } from '../../audit/audit-trail.js';
import { callerNames } from '../framework/caller-names.js';
import type { ToolChoice } from '../framework/tool-choice.js';
import { withChange, type WatchedCalls } from '../framework/watched-call.js';

const NAME = /^[\w.-]{1,128}$/;
const ANY_ARGUMENTS: JsonObject = { type: 'object' };

export interface RegisterWrappedOptions {
  readonly choice: ToolChoice;
  readonly readOnly: boolean;
  readonly follow: boolean;
  /** Keeps what tools change in the history, as far as its budget allows; undefined where nothing is to be kept. */
  readonly watched: WatchedCalls | undefined;
  /** Called after each call: files may be others now. */
  readonly onDidRun: () => void;
  /** Told in which folder each call works. */
  readonly audit: (entry: Omit<AuditRecord, 'session'>) => void;
}

/** Offers the tools of wrapped servers, each under its prefix, and follows their changes until disposed of. */
export function registerWrapped(
  server: WorkspaceServer,
  servers: ReadonlyMap<string, WrappedServer>,
  { choice, readOnly, follow, watched, onDidRun, audit }: RegisterWrappedOptions,
): Disposable {
  const followed = [...servers].map(([prefix, wrapped]) => {
    let registered: readonly RegisteredTool[] = [];
    const apply = (tools: readonly WrappedTool[]): void => {
      for (const tool of registered) tool.remove();
      registered = wantedWrapped(prefix, tools, { choice, readOnly }).map((tool) => {
        const watchedBy = changesNothing(tool) ? undefined : watched;
        return register(server, prefix, wrapped, tool, { watched: watchedBy, onDidRun, audit });
      });
    };
    apply(wrapped.tools);
    return follow ? wrapped.onDidChangeTools(apply) : undefined;
  });
  return disposable(() => {
    for (const each of followed) each?.[Symbol.dispose]();
  });
}

/** Those of them that a server with these options offers. */
export function wantedWrapped(
  prefix: string,
  tools: readonly WrappedTool[],
  { choice, readOnly }: Pick<RegisterWrappedOptions, 'choice' | 'readOnly'>,
): readonly WrappedTool[] {
  return tools.filter((tool) => {
    const name = listedName(prefix, tool);
    return NAME.test(name) && choice.allows(name) && (!readOnly || changesNothing(tool));
  });
}

/** What clients call it. */
export function listedName(prefix: string, { name }: WrappedTool): string {
  return `${prefix}_${name}`;
}

function register(
  server: WorkspaceServer,
  prefix: string,
  wrapped: WrappedServer,
  tool: WrappedTool,
  { watched, onDidRun, audit }: Pick<RegisterWrappedOptions, 'watched' | 'onDidRun' | 'audit'>,
): RegisteredTool {
  const { name, title, description, annotations, inputSchema } = tool;
  const listed = listedName(prefix, tool);
  const config = {
    title: typeof title === 'string' ? title : name,
    ...(typeof description === 'string' && { description }),
    ...(isObject(annotations) && { annotations }),
    inputSchema: argumentSchema(isObject(inputSchema) ? inputSchema : ANY_ARGUMENTS),
  };
  return server.registerTool(
    listed,
    config,
    async (args: CheckedArguments, ctx: WorkspaceServerContext): Promise<CallToolResult> => {
      // It works in the first root, so it must be known which working tree that is; without a project it is refused.
      await ctx.workspace.project();
      const roots = await ctx.workspace.roots();
      const path = roots[0]?.path ?? '';
      const names = callerNames(ctx);
      audit({ tool: listed, principal: names, path, decision: 'allowed' });
      const principal = names === undefined ? '' : JSON.stringify(names);
      const run = (): Promise<CallToolResult> =>
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- passed on as it came
        wrapped
          .call(name, args.tool, { roots, principal, signal: ctx.mcpReq.signal })
          .finally(onDidRun) as Promise<CallToolResult>;
      if (watched === undefined) return run();
      const { answer, changeId } = await watched.run(listed, ctx, run);
      return withChange(answer, changeId);
    },
  );
}

/** Nothing makes it keep its word. */
function changesNothing({ annotations }: WrappedTool): boolean {
  return isObject(annotations) && annotations['readOnlyHint'] === true;
}
