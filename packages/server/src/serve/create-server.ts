import { randomUUID } from 'node:crypto';
import { McpServer, type McpServerFactory } from '@modelcontextprotocol/server';
import type { Workspace } from '@rootward/core';
import type { ServerSandbox } from '@rootward/lsp';
import { withWorkspace } from '@rootward/mcp';
import type { ChildRegistry, WorkspaceServer } from '@rootward/mcp';
import { observeConnections } from '@rootward/mcp/host';
import type { AuditRecord } from '../audit/audit-trail.js';
import { ToolRunner } from '../exec/run/tool-runner.js';
import { LanguageSupport } from '../languages/language-support.js';
import { profileOf } from '../sandbox/program-profile.js';
import { traceCalls } from '../telemetry/trace-calls.js';
import { OpenQuestions } from '../tools/exec/asking-runs.js';
import { allowProtocolErrors } from '../tools/exec/protocol-errors.js';
import { registerExecutables, type RegisterExecutablesOptions } from '../tools/exec/register-executables.js';
import { registerProject } from '../tools/exec/register-project.js';
import { PatternTurns } from '../search/pattern-turns.js';
import { ChangeQueue } from '../tools/framework/change-queue.js';
import type { Era } from '../era.js';
import { registerWrapped, type RegisterWrappedOptions } from '../tools/wrapped/register-wrapped.js';
import { VERSION } from '../version.js';
import { LegacySession } from './legacy-session.js';
import { accessFrom } from './oauth/scopes.js';
import { offerGuides, Offers, type Offer } from './offers.js';
import type { ServerSetup } from './prepare-server.js';
import { offerPanel } from './offer-panel.js';
import { offerListening, offerSubscriptions, registerResources } from './resources.js';
import { WatchedCalls } from '../tools/framework/watched-call.js';
import { ToolChoice } from '../tools/framework/tool-choice.js';
import { toolsets } from '../tools/toolsets.js';

export interface ServerHooks {
  readonly children: ChildRegistry;
  /** For what must be cleaned up before the process leaves. */
  readonly onShutdown: (hook: () => void | Promise<void>) => void;
  /** For what is waited for before that; left out where calls under way are waited for anyway. */
  readonly drainWith?: (drain: () => Promise<void>) => void;
  /** Told of the workspace of each legacy connection. */
  readonly onWorkspace?: (workspace: Workspace) => void;
}

/** What all servers of one process have in common: two of them may change the same file. */
interface Shared extends ServerHooks {
  readonly changes: ChangeQueue;
  /** Undefined where what programs change is not kept. */
  readonly watched: WatchedCalls | undefined;
  readonly patternTurns: PatternTurns;
  readonly choice: ToolChoice;
  readonly runner: ToolRunner | undefined;
  readonly toolQuestions: OpenQuestions;
  readonly languages: LanguageSupport;
}

/** Makes the server for each connection (legacy) or request (modern). */
export function createServerFactory(
  setup: ServerSetup,
  hooks: ServerHooks,
): (context: Parameters<McpServerFactory>[0]) => McpServer {
  const languages = createLanguages(setup, hooks);
  const runner = createRunner(setup, hooks);
  hooks.onShutdown(() => setup.sandboxes.dispose());
  if (setup.wrapped !== undefined) hooks.onShutdown(() => setup.wrapped?.close());
  const watched = setup.settings.historyExec ? new WatchedCalls() : undefined;
  if (watched !== undefined) noteBeforeLeaving(watched, setup, hooks);
  const shared: Shared = {
    ...hooks,
    changes: new ChangeQueue(),
    watched,
    patternTurns: new PatternTurns(),
    choice: chooseTools(setup),
    runner,
    toolQuestions: new OpenQuestions(),
    languages,
  };
  const offers = new Offers(setup, shared);
  return ({ era, authInfo }) => {
    const offer = offers.for(era, accessFrom(authInfo?.extra));
    return era === 'modern' ? modernServer(offer, shared) : legacyServer(offer, shared);
  };
}

/** What a program changed is noted after it has ended, which takes longer than a process stays that is told to leave. */
function noteBeforeLeaving(watched: WatchedCalls, { wrapped }: ServerSetup, hooks: ServerHooks): void {
  const { children, drainWith } = hooks;
  if (drainWith === undefined) {
    hooks.onShutdown(() => watched.settled());
    return;
  }
  drainWith(async () => {
    if (watched.size === 0) return;
    await Promise.all([children.end(), wrapped?.close()]);
    await watched.settled();
  });
}

/** One for all servers of the process; whom it serves decides which language servers are shared. */
function createLanguages(setup: ServerSetup, { children }: ServerHooks): LanguageSupport {
  const { settings, editJournal, environment, log } = setup;
  return new LanguageSupport({
    servers: settings.languageServers,
    trustWorkspaceServers: settings.trustWorkspaceServers,
    environment,
    journal: editJournal,
    children,
    log,
    sandbox: serverSandbox(setup),
  });
}

/** Rules are looked up as for a tool call with these roots. */
export function serverSandbox({
  sandboxes,
  createScope,
  settings,
  sources: { fence },
}: ServerSetup): ServerSandbox {
  return {
    open: (server) => sandboxes.openFor(server),
    profile: (server) => profileOf(settings.sandbox, server),
    denied: async (roots) => (await sandboxes.limits(createScope({ roots, fence }))).denied,
  };
}

/** One for all servers of the process: the limit on how many run at once is theirs together. */
function createRunner(
  { catalogue, settings, environment, sandboxes }: ServerSetup,
  { children, onShutdown }: ServerHooks,
): ToolRunner | undefined {
  if (catalogue === undefined) return undefined;
  const { project } = catalogue;
  const runner = new ToolRunner({
    project,
    environment,
    mode: settings.toolEnvironment,
    downloadHosts: downloadHosts(settings, environment),
    children,
    sandbox: (run) => sandboxes.enter(run),
  });
  onShutdown(() => {
    catalogue.dispose();
    runner.dispose();
  });
  return runner;
}

function downloadHosts(
  { downloadHosts: given }: ServerSetup['settings'],
  environment: ServerSetup['environment'],
): readonly string[] {
  return (
    given ?? (environment['MCPBASH_HTTPS_ALLOW_HOSTS'] ?? '').split(/[\s,]+/).filter((host) => host !== '')
  );
}

/** All share what is prepared, and with it what was computed for the same list of roots. */
function modernServer(offer: Offer, shared: Shared): McpServer {
  const { setup } = offer;
  const server = newServer(offer);
  equip(server, 'modern', offer, shared, { id: setup.events.wanted ? randomUUID() : '' });
  const reader = { workspace: undefined, hasListedGuides: false };
  offerGuides(server, 'modern', offer, () => reader);
  if (setup.catalogue !== undefined) {
    // Over HTTP the endpoint tells of changes: this server lives for one request.
    const told = offerListening(server, setup.catalogue, setup.settings.http === undefined);
    atClose(server, () => told[Symbol.dispose]());
  }
  return server;
}

/** Has a workspace of its own to listen to. */
function legacyServer(offer: Offer, shared: Shared): McpServer {
  const { setup, content } = offer;
  const server = newServer(offer);
  const session = new LegacySession(server, setup, shared.onWorkspace);
  observeConnections(server, session);
  equip(server, 'legacy', offer, shared, session);
  if (content === undefined) {
    offerGuides(server, 'legacy', offer, () => session);
    offerSubscriptions(
      server,
      (uri) => {
        const known = setup.catalogue?.current().resources.find((each) => each.uri === uri);
        return known === undefined ? undefined : (known.file ?? null);
      },
      () => session.subscriptions,
    );
  } else content.serveOn(session);
  atClose(server, () => session.end());
  return server;
}

function newServer({ setup, challenge }: Offer): WorkspaceServer {
  const server = new McpServer(INFO, OPTIONS);
  // The SDK asks it over HTTP, in both eras, before it passes a request on.
  server.resolveScopeChallenge = challenge;
  return withWorkspace(server, setup.prepared);
}

/** A glob that matches nothing is most likely mistyped; executables and wrapped servers may still bring such a tool. */
function chooseTools({ settings, catalogue, wrapped, log }: ServerSetup): ToolChoice {
  const choice = new ToolChoice(settings);
  const names = [
    ...Object.values(toolsets)
      .flat()
      .map(({ name }) => name),
    ...(catalogue?.current().tools ?? []).map(({ metadata }) => metadata.name),
  ];
  if (wrapped === undefined) {
    for (const glob of choice.idle(names)) log.warn('no tool has a name that matches', { glob });
  }
  return choice;
}

function equip(
  server: WorkspaceServer,
  era: Era,
  { setup, kit, content }: Offer,
  shared: Shared,
  session: { readonly id: string },
): void {
  const { events, telemetry } = setup;
  const { choice, languages, runner, toolQuestions, watched } = shared;
  offerPanel(server, setup.program);
  if (telemetry !== undefined) traceCalls(server, telemetry, session);
  const fail = runner === undefined ? undefined : allowProtocolErrors(server);
  kit.serveOn(server, session);
  if (content === undefined) registerResources(server);
  if (setup.catalogue === undefined && setup.wrapped === undefined) return;
  const onDidRun = (): void => languages.noteChange();
  const record = (entry: Omit<AuditRecord, 'session'>): void =>
    events.record({ ...entry, session: session.id });
  if (runner !== undefined && fail !== undefined) {
    const options = { runner, questions: toolQuestions, fail, choice, watched, onDidRun, audit: record };
    equipExecutables(server, era, setup, options);
  }
  equipWrapped(server, era, setup, { choice, watched, onDidRun, audit: record });
}

function equipWrapped(
  server: WorkspaceServer,
  era: Era,
  { wrapped, settings }: ServerSetup,
  shared: Pick<RegisterWrappedOptions, 'choice' | 'watched' | 'onDidRun' | 'audit'>,
): void {
  if (wrapped === undefined) return;
  const { readOnly, http } = settings;
  const follow = era === 'legacy' || http === undefined;
  const followed = registerWrapped(server, wrapped.servers, { ...shared, readOnly, follow });
  atClose(server, () => followed[Symbol.dispose]());
}

function equipExecutables(
  server: WorkspaceServer,
  era: Era,
  { catalogue, settings }: ServerSetup,
  shared: Omit<RegisterExecutablesOptions, 'catalogue' | 'readOnly'>,
): void {
  if (catalogue === undefined) return;
  // Over HTTP a modern server is made for each request, and sees the folder as it then is.
  const follow = era === 'legacy' || settings.http === undefined;
  const followed = registerExecutables(server, {
    ...shared,
    catalogue,
    readOnly: settings.readOnly,
    follow,
  });
  const { runner } = shared;
  const content = registerProject(server, { catalogue, runner, follow });
  atClose(server, () => {
    followed[Symbol.dispose]();
    content[Symbol.dispose]();
  });
}

function atClose({ server }: WorkspaceServer, act: () => void): void {
  const { onclose } = server;
  const both = (): void => {
    act();
    onclose?.();
  };
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has no other way
  server.onclose = onclose === undefined ? act : both;
}

/** What a model is told about this server before it calls anything. */
const INSTRUCTIONS = `Tools for reading, searching, understanding and changing files in the user's workspace.
To find or rename what code declares, use find_symbol, definition, references, outline, diagnostics and rename_symbol: they know more than a text search.
Paths must lie inside the roots of the workspace: absolute, or relative to the first root. Everything else is refused.
When a path is refused or you do not know where you are, call workspace_info: it lists the roots and, given a path, says whether it is in scope and why.
If it says there is no project, call switch_project with the project's name.`;

/** One for all servers, which keep what they are given. */
const INFO = { name: 'rootward', title: 'Rootward', version: VERSION };
const OPTIONS = {
  instructions: INSTRUCTIONS,
  // Else a client would list all tools once for each that came or went.
  debouncedNotificationMethods: ['notifications/tools/list_changed'],
};
