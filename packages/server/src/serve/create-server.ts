import { randomUUID } from 'node:crypto';
import { McpServer, type McpServerFactory } from '@modelcontextprotocol/server';
import type { Workspace } from '@rootward/core';
import type { ServerSandbox } from '@rootward/lsp';
import { withWorkspace } from '@rootward/mcp';
import type { ChildRegistry, WorkspaceServer } from '@rootward/mcp';
import { observeConnections } from '@rootward/mcp/host';
import { LanguageSupport } from '../languages/language-support.js';
import { profileOf } from '../sandbox/program-profile.js';
import { traceCalls } from '../telemetry/trace-calls.js';
import { PatternTurns } from '../search/pattern-turns.js';
import { atClose } from '../tools/framework/at-close.js';
import { ChangeQueue } from '../tools/framework/change-queue.js';
import type { Era } from '../era.js';
import { VERSION } from '../version.js';
import { LegacySession } from './legacy-session.js';
import { accessFrom } from './oauth/scopes.js';
import { offerGuides, Offers, type Offer } from './offers.js';
import type { ServerSetup } from './prepare-server.js';
import type { Programs, ProgramsOptions } from './programs/programs.js';
import { offerPanel } from './offer-panel.js';
import { offerListening, offerSubscriptions, registerResources } from './resources.js';
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
  readonly patternTurns: PatternTurns;
  readonly choice: ToolChoice;
  readonly programs: Programs | undefined;
  readonly languages: LanguageSupport;
}

/** Makes the server for each connection (legacy) or request (modern). */
export async function createServerFactory(
  setup: ServerSetup,
  hooks: ServerHooks,
): Promise<(context: Parameters<McpServerFactory>[0]) => McpServer> {
  const languages = createLanguages(setup, hooks);
  const choice = chooseTools(setup);
  const programs = await openPrograms(setup, {
    ...hooks,
    choice,
    onDidRun: () => languages.noteChange(),
  });
  hooks.onShutdown(() => setup.sandboxes.dispose());
  const shared: Shared = {
    ...hooks,
    changes: new ChangeQueue(),
    patternTurns: new PatternTurns(),
    choice,
    programs,
    languages,
  };
  const offers = new Offers(setup, shared);
  return ({ era, authInfo }) => {
    const offer = offers.for(era, accessFrom(authInfo?.extra));
    return era === 'modern' ? modernServer(offer, shared) : legacyServer(offer, shared);
  };
}

/** Nothing of it is loaded where there are none. */
async function openPrograms(setup: ServerSetup, options: ProgramsOptions): Promise<Programs | undefined> {
  if (setup.catalogue === undefined && setup.wrapped === undefined) return undefined;
  const { Programs: Opened } = await import('./programs/programs.js');
  return new Opened(setup, options);
}

/** One for all servers of the process; whom it serves decides which language servers are shared. */
function createLanguages(setup: ServerSetup, { children }: ServerHooks): LanguageSupport {
  const { settings, editJournal, serverCache, environment, log } = setup;
  return new LanguageSupport({
    servers: settings.languageServers,
    trustWorkspaceServers: settings.trustWorkspaceServers,
    environment,
    journal: editJournal,
    cache: serverCache,
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
  { programs }: Shared,
  session: { readonly id: string },
): void {
  const { telemetry } = setup;
  offerPanel(server, setup.program);
  if (telemetry !== undefined) traceCalls(server, telemetry, session);
  const offerPrograms = programs?.prepare(server);
  kit.serveOn(server, session);
  if (content === undefined) registerResources(server);
  offerPrograms?.({ era, setup, session });
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
