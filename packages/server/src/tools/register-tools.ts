import { homedir, tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { CLIENT_INFO_META_KEY } from '@modelcontextprotocol/server';
import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import { RootwardError, type Logger, type Scope, type Snapshot } from '@rootward/core';
import { ChildRegistry, principalOf, RootwardMcpError } from '@rootward/mcp';
import type { WorkspaceServer, WorkspaceServerContext } from '@rootward/mcp';
import { principalDigest } from '@rootward/mcp/host';
import { expandHome, isObject, silentLogger } from '@rootward/core/platform';
import { SeenFiles } from '../edit/seen-files.js';
import { ProjectSessions } from '../guidance/project-sessions.js';
import { PatternTurns } from '../search/pattern-turns.js';
import { callerNames } from './framework/caller-names.js';
import { ChangeQueue } from './framework/change-queue.js';
import { LanguageSupport } from '../languages/language-support.js';
import type { Tool } from './framework/define-tool.js';
import { createElicit } from './framework/elicit.js';
import { Questions } from './framework/questions.js';
import { SharedTools, type CallRunner } from './framework/shared-tools.js';
import type { Era } from '../era.js';
import type { AuditDecision, AuditEntry, Consent, Question, ToolContext } from './framework/tool-context.js';
import { answerOf, answerToFailure } from './framework/answer-of-call.js';
import { ToolChoice } from './framework/tool-choice.js';
import { toolsets as knownToolsets } from './toolsets.js';
import type { ToolsetName } from '../settings/values/option-values.js';

/** What one call could touch. */
interface CallView {
  snapshot(): Snapshot;
  scope(): Scope;
  project(): { readonly name: string };
}

interface CallingClient {
  readonly name: string;
  readonly version: string;
}

export interface RegisterToolsOptions {
  /** The era of the connection the server is made for. */
  readonly era: Era;
  /** `workspace` is always among them. Default: all there are. */
  readonly toolsets?: readonly ToolsetName[];
  /** Those chosen by name. Default: all there are. */
  readonly choice?: ToolChoice;
  /** Leave out every tool that changes files. The scope's own rules are what enforces it. */
  readonly readOnly?: boolean;
  /** Toolsets whose tools may change files; of others, those tools are left out. Default: all there are. */
  readonly changing?: readonly ToolsetName[];
  /** Let edits tell new problems where the call does not say. Default false. */
  readonly diagnostics?: boolean;
  /** Let `write_file` replace what changed since the session saw it. Default false. */
  readonly overwriteChanged?: boolean;
  /** Leave out the tools that look at the history where none is kept. Default true. */
  readonly history?: boolean;
  readonly log?: Logger;
  /** Told of every path of every call, let through or not. */
  readonly audit?: ((entry: AuditEntry, session: string) => void) | undefined;
  /** Asks the user where the client cannot. */
  readonly consent?: ConsentOutlet | undefined;
  /** Told which client called, and what the call could touch. */
  readonly observe?: ((client: CallingClient, view: CallView) => void) | undefined;
  /** Children started by tools; whoever ends the process ends them. */
  readonly children?: ChildRegistry;
  /** Pass one where several servers of a process serve the same files, as over HTTP. */
  readonly changes?: ChangeQueue;
  /** Pass one where several servers of a process share its processors. */
  readonly patternTurns?: PatternTurns;
  /** Pass the ones that guides use, too; default: without what users keep outside their projects. */
  readonly projects?: ProjectSessions;
  /** Pass one where several servers of a process may share language servers. */
  readonly languages?: LanguageSupport;
  /** Executables that run right now; default: none. */
  readonly executables?: ToolContext['executables'] | undefined;
  /** What `~` stands for; default: the home directory of the user. */
  readonly home?: string;
}

/** Asks the user in place of a client. */
interface ConsentOutlet {
  readonly canAsk: boolean;
  /** `principal`: a digest of whom the call comes from; empty without authentication. */
  ask(
    question: Omit<Question, 'key'> & { readonly principal: string },
    signal: AbortSignal,
  ): Promise<Consent>;
}

interface Session {
  readonly id: string;
}

/** Serves the tools of the named toolsets on a server that `withWorkspace` was applied to. */
export function registerTools(server: WorkspaceServer, options: RegisterToolsOptions): void {
  new ToolKit(options).serveOn(server, { id: '' });
}

/** Tools with what their calls have in common, for any number of servers. */
export class ToolKit {
  readonly #options: RegisterToolsOptions;
  readonly #shared: Shared;
  readonly #tools: SharedTools;

  constructor(options: RegisterToolsOptions) {
    const children = options.children ?? new ChildRegistry();
    this.#options = options;
    this.#shared = {
      children,
      changes: options.changes ?? new ChangeQueue(),
      patternTurns: options.patternTurns ?? new PatternTurns(),
      projects: options.projects ?? new ProjectSessions({ era: options.era }),
      languages: options.languages ?? plainSupport(children, options.log ?? silentLogger),
      executables: options.executables ?? (() => []),
    };
    this.#tools = new SharedTools(selectTools(options));
  }

  /** `session`: what the audit calls the connection of the server, asked for where there is an audit. */
  serveOn(server: WorkspaceServer, session: Session): void {
    this.#tools.serveOn(server, new ServerTools(server, session, this.#options, this.#shared));
  }
}

/** The tools of one server. */
class ServerTools implements CallRunner {
  readonly #server: WorkspaceServer;
  readonly #session: Session;
  readonly #options: RegisterToolsOptions;
  readonly #shared: Shared;
  #questions: Questions | undefined;
  #seen: SeenFiles | undefined;

  constructor(server: WorkspaceServer, session: Session, options: RegisterToolsOptions, shared: Shared) {
    this.#server = server;
    this.#session = session;
    this.#options = options;
    this.#shared = shared;
  }

  run(
    tool: Tool,
    args: Record<string, unknown>,
    ctx: WorkspaceServerContext,
  ): Promise<CallToolResult | InputRequiredResult> {
    this.#questions ??= new Questions();
    if (this.#options.overwriteChanged !== true) this.#seen ??= new SeenFiles();
    const own = {
      server: this.#server,
      session: this.#session,
      questions: this.#questions,
      seen: this.#seen,
    };
    return runTool(tool, args, ctx, own, this.#options, this.#shared);
  }
}

/** What the calls of one server have in common. */
interface Own {
  readonly server: WorkspaceServer;
  readonly session: Session;
  readonly questions: Questions;
  readonly seen: SeenFiles | undefined;
}

/** The tools a server with these options has, in the order they are listed. */
export function selectTools(
  {
    toolsets,
    readOnly = false,
    changing,
    history = true,
    choice = new ToolChoice(),
  }: Pick<RegisterToolsOptions, 'toolsets' | 'readOnly' | 'changing' | 'history' | 'choice'>,
  known: Readonly<Partial<Record<ToolsetName, readonly Tool[]>>> = knownToolsets,
): readonly Tool[] {
  const wanted: ReadonlySet<string> = new Set(['workspace', ...(toolsets ?? Object.keys(known))]);
  const mayChange = (toolset: ToolsetName): boolean => !readOnly && changing?.includes(toolset) !== false;
  const fits = (tool: Tool): boolean =>
    wanted.has(tool.toolset) &&
    choice.allows(tool.name) &&
    (changesNoFiles(tool) || mayChange(tool.toolset)) &&
    (history || !HISTORY_TOOLS.has(tool.name));
  return Object.values(known).flat().filter(fits);
}

/** Those of `workspace` change what a session works in, never what is there. */
export function changesNoFiles({ toolset, annotations }: Tool): boolean {
  return toolset === 'workspace' || annotations.readOnlyHint;
}

const HISTORY_TOOLS: ReadonlySet<string> = new Set(['change_history', 'undo_changes']);

/** What the calls of all servers have in common. */
type Shared = Pick<
  ToolContext,
  'children' | 'changes' | 'patternTurns' | 'projects' | 'languages' | 'executables'
>;

/** The known servers, for whoever configures none. */
function plainSupport(children: ChildRegistry, log: Logger): LanguageSupport {
  return new LanguageSupport({ children, log, journal: join(tmpdir(), `rootward-edits-${process.pid}`) });
}

async function runTool(
  tool: Tool,
  args: Record<string, unknown>,
  ctx: WorkspaceServerContext,
  own: Own,
  options: RegisterToolsOptions,
  shared: Shared,
): Promise<CallToolResult | InputRequiredResult> {
  const told = new Set<string>();
  const audit = (path: string, decision: AuditDecision, reason?: string): void => {
    told.add(path);
    const entry = { tool: tool.name, principal: callerNames(ctx), path, decision, reason };
    try {
      options.audit?.(entry, own.session.id);
    } catch (error) {
      // An answer does not depend on who is told of it.
      options.log?.warn('audit entry not passed on', { tool: tool.name, error: String(error) });
    }
  };
  const auditRest = (decision: AuditDecision, reason?: string): void => {
    if (options.audit === undefined) return;
    for (const path of tool.paths?.(args) ?? []) if (!told.has(path)) audit(path, decision, reason);
  };
  const context: ToolContext = {
    workspace: ctx.workspace,
    signal: ctx.mcpReq.signal,
    principal: principalOf(ctx),
    era: options.era,
    readOnly: options.readOnly ?? false,
    diagnostics: options.diagnostics ?? false,
    log: options.log ?? silentLogger,
    ...shared,
    seen: own.seen,
    audit,
    progress: progressTo(ctx),
    expandHome: (path) => expandHome(path, options.home ?? homedir()),
    ...elicitOf(ctx, own, options),
  };
  if (own.seen !== undefined)
    ctx.workspace.tally?.listen((plan, version) => own.seen?.changed(plan, version));
  try {
    const answer = await tool.handle(args, context);
    auditRest('allowed');
    if (options.observe !== undefined) await observe(options.observe, ctx);
    const result = tool.annotations.readOnlyHint
      ? await withElsewhere(answer, tool.paths?.(args), context)
      : answer;
    return answerOf(result, ctx.workspace);
  } catch (error) {
    if (ctx.workspace.changed === true) {
      auditRest('allowed', context.signal.aborted ? 'cancelled' : 'failed');
      return answerToFailure(error, ctx.workspace);
    }
    if (error instanceof RootwardError || error instanceof RootwardMcpError) auditRest('refused', error.code);
    else if (context.signal.aborted) auditRest('allowed', 'cancelled');
    throw error;
  } finally {
    if (!tool.annotations.readOnlyHint) shared.languages.noteChange();
  }
}

/** Adds a note where a relative path was read in another root than the one that relative paths start at. */
async function withElsewhere(
  answer: CallToolResult,
  paths: readonly string[] = [],
  context: ToolContext,
): Promise<CallToolResult> {
  const relative = paths.map((path) => context.expandHome(path)).filter((path) => !isAbsolute(path));
  if (relative.length === 0 || answer.isError === true) return answer;
  const scope = await context.workspace.scope();
  const notes = relative.flatMap((path) => {
    const found = scope.elsewhere(path);
    return found === undefined ? [] : [`Note: "${path}" is not in the first root; this is ${found}`];
  });
  if (notes.length === 0) return answer;
  return { ...answer, content: [...answer.content, { type: 'text', text: notes.join('\n') }] };
}

/** Goes to a client that gave a token for it. One that has gone is no reason to fail. */
function progressTo({ mcpReq }: WorkspaceServerContext): (message: string) => void {
  const { _meta: meta } = mcpReq;
  const progressToken = meta?.progressToken;
  let progress = 0;
  return (message) => {
    if (progressToken === undefined || mcpReq.signal.aborted) return;
    progress += 1;
    const params = { progressToken, progress, message };
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}

/** A client that cannot ask its user leaves the question to the page, where there is one. */
function elicitOf(
  ctx: WorkspaceServerContext,
  { server, questions }: Own,
  options: RegisterToolsOptions,
): Pick<ToolContext, 'canElicit' | 'elicit'> {
  const own = createElicit(ctx, server, questions);
  const { consent } = options;
  if (own.canElicit || consent === undefined) return own;
  const principal = principalOf(ctx);
  const digest = principal === '' ? '' : principalDigest(principal);
  return {
    canElicit: consent.canAsk,
    elicit: ({ message, path }) => consent.ask({ message, path, principal: digest }, ctx.mcpReq.signal),
  };
}

async function observe(
  tell: NonNullable<RegisterToolsOptions['observe']>,
  ctx: WorkspaceServerContext,
): Promise<void> {
  const { envelope } = ctx.mcpReq;
  const info: unknown = isObject(envelope) ? envelope[CLIENT_INFO_META_KEY] : undefined;
  const client = isObject(info)
    ? { name: String(info['name']), version: String(info['version']) }
    : { name: '', version: '' };
  try {
    const [snapshot, scope] = [await ctx.workspace.snapshot(), await ctx.workspace.scope()];
    const project = await ctx.workspace.project().catch(() => undefined);
    tell(client, {
      snapshot: () => snapshot,
      scope: () => scope,
      project: () => project ?? { name: '' },
    });
  } catch {
    // The call needed no roots, and asking for some only to show them would cost the client a round trip.
  }
}
