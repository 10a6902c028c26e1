import type { CallToolResult, RegisteredTool, ToolAnnotations } from '@modelcontextprotocol/server';
import { isObject, disposable } from '@rootward/core/platform';
import { NeedsInput, type WorkspaceServer, type WorkspaceServerContext } from '@rootward/mcp';
import { AskingRun, type OpenQuestions } from './asking-runs.js';
import { callerNames } from '../framework/caller-names.js';
import { clientCapabilities } from '../framework/client-capabilities.js';
import { argumentSchema, resultSchema, type CheckedArguments } from '../../exec/catalogue/argument-schema.js';
import type { ToolNews } from '../../exec/answer/channel-message.js';
import type { ExecutableTool } from '../../exec/catalogue/executable-tool.js';
import type { FailCall } from './protocol-errors.js';
import { wantedExecutables, type ExecutableChoice } from './wanted-executables.js';
import type { ToolCatalogue } from '../../exec/project/tool-catalogue.js';
import type { ToolMetadata } from '../../exec/catalogue/tool-metadata.js';
import type { RunSandbox, ToolRunner } from '../../exec/run/tool-runner.js';
import type { ToolAnswer } from '../../exec/answer/tool-result.js';
import { withChange, type WatchedCalls } from '../framework/watched-call.js';
import type { AuditRecord } from '../../audit/audit-trail.js';

export interface RegisterExecutablesOptions extends ExecutableChoice {
  readonly catalogue: ToolCatalogue;
  readonly runner: ToolRunner;
  /** Of all servers of the process: an answer may come with another request. */
  readonly questions: OpenQuestions;
  /** From `allowProtocolErrors`, applied to the same server before anything was registered. */
  readonly fail: FailCall;
  /** Told of each run in a sandbox, and of each that was refused. */
  readonly audit?: ((entry: Omit<AuditRecord, 'session'>) => void) | undefined;
  /** Keeps what tools change in the roots in the history, as far as its budget allows. Default: nothing does. */
  readonly watched?: WatchedCalls | undefined;
  /** Called after each run: files may be others now. */
  readonly onDidRun?: () => void;
}

/**
 * Registers the tools of a project and follows its changes, until what is returned is disposed of. A server that lives
 * for one request only need not follow: leave `follow` out.
 */
export function registerExecutables(
  server: WorkspaceServer,
  options: RegisterExecutablesOptions & { readonly follow?: boolean },
): Disposable {
  const { catalogue } = options;
  server.server.registerCapabilities({ logging: {} });
  const registered = new Map<string, { readonly tool: ExecutableTool; readonly handle: RegisteredTool }>();
  const apply = (tools: readonly ExecutableTool[]): void => {
    const wanted = new Map(wantedExecutables(tools, options).map((tool) => [tool.metadata.name, tool]));
    for (const [name, { tool, handle }] of registered) {
      const now = wanted.get(name);
      if (now !== undefined && isSame(now, tool)) continue;
      handle.remove();
      registered.delete(name);
    }
    for (const [name, tool] of wanted) {
      if (!registered.has(name)) registered.set(name, { tool, handle: register(server, tool, options) });
    }
  };
  apply(catalogue.current().tools);
  if (options.follow !== true) return disposable(() => undefined);
  return catalogue.onDidChange(({ tools }) => apply(tools));
}

function isSame(a: ExecutableTool, b: ExecutableTool): boolean {
  return a.file === b.file && a.page === b.page && listingOf(a) === listingOf(b);
}

function listingOf({ metadata, icons }: ExecutableTool): string {
  return JSON.stringify([metadata, icons]);
}

function register(
  server: WorkspaceServer,
  tool: ExecutableTool,
  options: RegisterExecutablesOptions,
): RegisteredTool {
  const { metadata } = tool;
  const { questions } = options;
  const config = {
    title: metadata.title ?? metadata.annotations.title ?? metadata.name,
    description: metadata.description,
    annotations: completeAnnotations(metadata),
    inputSchema: argumentSchema(metadata.inputSchema),
    ...metaOf(tool),
    ...(tool.icons !== undefined && { icons: tool.icons }),
    ...(metadata.outputSchema !== undefined && { outputSchema: resultSchema(metadata.outputSchema) }),
  };
  return server.registerTool(
    metadata.name,
    config,
    async (args: CheckedArguments, ctx: WorkspaceServerContext): Promise<CallToolResult> => {
      const call = `${metadata.name} ${JSON.stringify(args)}`;
      const known = questions.takeUp(ctx.mcpReq.inputResponses, call);
      if (known === 'gone') return QUESTION_GONE;
      const run = known ?? new AskingRun(call, ctx, (each) => runOnce(server, tool, args, each, options));
      const step = await run.next(ctx);
      if (step.kind === 'asks') throw new NeedsInput(step.inputRequests);
      return step.result;
    },
  );
}

const QUESTION_GONE: CallToolResult = {
  content: [{ type: 'text', text: 'The run that asked this question has ended. Call the tool again' }],
  isError: true,
};

/** From its start to its end, however many requests that takes. */
async function runOnce(
  server: WorkspaceServer,
  tool: ExecutableTool,
  args: CheckedArguments,
  asking: AskingRun,
  { runner, questions, fail, audit, watched, onDidRun }: RegisterExecutablesOptions,
): Promise<CallToolResult> {
  const { metadata } = tool;
  const { current: ctx } = asking;
  const { forms, urls, pages } = clientCapabilities(ctx, server);
  const { _meta: meta } = ctx.mcpReq;
  const run = (): Promise<ToolAnswer> =>
    runner
      .run(tool, {
        args: args.tool,
        roots: async () => {
          const roots = await ctx.workspace.roots();
          if (!roots.some(({ kind }) => kind === 'directory')) return roots;
          // It works where relative paths start, so it must be known where that is.
          const { path } = (await ctx.workspace.scope()).locate('.');
          return roots.toSorted((one, other) => Number(other.path === path) - Number(one.path === path));
        },
        scope: () => ctx.workspace.scope(),
        onSandbox: (sandbox) => auditSandbox(tool, callerNames(ctx), sandbox, audit),
        signal: asking.signal,
        client: { asks: forms || urls, showsPages: pages },
        meta,
        ask: async (question) => {
          const canAsk = question.mode === 'url' ? urls : forms;
          return canAsk ? questions.ask(asking, question) : { action: 'decline', content: null };
        },
        onMessage: (message) => forward(message, asking.current),
      })
      .finally(onDidRun);
  const { answer, changeId } =
    watched === undefined || metadata.annotations.readOnlyHint === true
      ? { answer: await run(), changeId: undefined }
      : await watched.run(metadata.name, ctx, run);
  if (answer.kind === 'result') return withChange(answer.result, changeId);
  fail(asking.current, answer.code, answer.message, answer.data);
  return { content: [{ type: 'text', text: answer.message }], isError: true };
}

function auditSandbox(
  { metadata, file }: ExecutableTool,
  principal: AuditRecord['principal'],
  sandbox: RunSandbox | Error,
  audit: RegisterExecutablesOptions['audit'],
): void {
  const refused = sandbox instanceof Error;
  audit?.({
    tool: metadata.name,
    principal,
    path: file,
    decision: refused ? 'refused' : 'allowed',
    reason: refused ? sandbox.message : `sandbox ${sandbox.description}`,
  });
}

/** A page in its folder belongs to a tool that names no other. */
function metaOf({ metadata, page }: ExecutableTool): { readonly _meta?: Record<string, unknown> } {
  const { _meta: written } = metadata.written;
  const meta = isObject(written) ? written : {};
  if (page === undefined || 'ui' in meta) return Object.keys(meta).length === 0 ? {} : { _meta: { ...meta } };
  return { _meta: { ...meta, ui: { resourceUri: page, visibility: ['model', 'app'] } } };
}

/** What a tool does not say means the worst. */
function completeAnnotations({ annotations }: ToolMetadata): ToolAnnotations {
  return {
    readOnlyHint: annotations.readOnlyHint ?? false,
    destructiveHint: annotations.destructiveHint ?? true,
    idempotentHint: annotations.idempotentHint ?? false,
    openWorldHint: annotations.openWorldHint ?? true,
  };
}

/** Goes to the client while the tool runs. A client that has gone is no reason to fail. */
function forward(message: ToolNews, { mcpReq }: WorkspaceServerContext): void {
  const { _meta: meta } = mcpReq;
  if (message.kind === 'log') {
    mcpReq.log(message.level, message.message, message.logger).catch(() => undefined);
    return;
  }
  const progressToken = meta?.progressToken;
  // Whoever cancelled has forgotten the token; to them, progress of it is an error.
  if (progressToken === undefined || mcpReq.signal.aborted) return;
  const { progress, total, message: text } = message;
  mcpReq
    .notify({
      method: 'notifications/progress',
      params: { progressToken, progress, total, ...(text !== undefined && { message: text }) },
    })
    .catch(() => undefined);
}
