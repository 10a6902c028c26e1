import type { ScopeChallengeHandler, ServerContext } from '@modelcontextprotocol/server';
import type { WorkspaceServer } from '@rootward/mcp';
import type { Era } from '../era.js';
import { ProjectSessions } from '../guidance/project-sessions.js';
import { TOOLSET_NAMES, type ToolsetName } from '../settings/values/option-values.js';
import { registerGuides, type GuideReader } from '../tools/guidance/register-guides.js';
import { changesNoFiles, selectTools, ToolKit } from '../tools/register-tools.js';
import type { RegisterToolsOptions } from '../tools/register-tools.js';
import type { ToolChoice } from '../tools/framework/tool-choice.js';
import { toolsets as knownToolsets } from '../tools/toolsets.js';
import { modernSession } from '../watch/live-process.js';
import { scopeChallenge, type Withheld } from './oauth/scope-challenge.js';
import { EVERYTHING, type Access } from './oauth/scopes.js';
import { offerPanel } from './offer-panel.js';
import type { ServerSetup } from './prepare-server.js';
import { offerSubscriptions, registerResources } from './resources.js';
import { sessionOf, SharedContent } from './shared-content.js';

/** What servers offer: the same for all of one era whose clients may do the same. */
export interface Offer {
  /** With the settings of these clients. */
  readonly setup: ServerSetup;
  readonly kit: ToolKit;
  readonly projects: ProjectSessions;
  /** Undefined where each server registers resources and prompts itself. */
  readonly content: SharedContent | undefined;
  /** Tells these clients which scope they need for what they may not use. */
  readonly challenge: ScopeChallengeHandler;
}

/** What the calls of all servers of a process share. */
type SharedByCalls = Pick<RegisterToolsOptions, 'children' | 'changes' | 'patternTurns' | 'languages'> & {
  readonly choice: ToolChoice;
  readonly programs:
    | { readonly running: ReturnType<NonNullable<RegisterToolsOptions['executables']>> }
    | undefined;
};

/** The offers of one process, each made when the first client may have it. */
export class Offers {
  readonly #setup: ServerSetup;
  readonly #shared: SharedByCalls;
  readonly #known = new Map<string, Offer>();

  constructor(setup: ServerSetup, shared: SharedByCalls) {
    this.#setup = setup;
    this.#shared = shared;
  }

  for(era: Era, access: Access): Offer {
    const allowed = limited(access, this.#setup);
    // Of names that are known here, so that no token makes the list of offers grow without end.
    const key = JSON.stringify([era, allowed]);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const setup = narrowed(this.#setup, allowed);
    const projects = new ProjectSessions({ era, store: setup.projectSettings });
    const offer = {
      setup,
      kit: new ToolKit(toolOptions(era, setup, allowed, projects, this.#shared)),
      projects,
      content: contentFor(era, setup, projects),
      challenge: scopeChallenge(() => this.#withheld(setup, allowed)),
    };
    this.#known.set(key, offer);
    return offer;
  }

  /** What the operator offers, without what these clients have. */
  #withheld(setup: ServerSetup, allowed: Access): Withheld {
    const { choice } = this.#shared;
    const { settings, catalogue, wrapped } = this.#setup;
    const has = new Set(selectTools({ ...selection(setup, allowed), choice }));
    const all = selectTools({ ...selection(this.#setup, EVERYTHING), choice });
    return {
      tools: all.filter((tool) => !has.has(tool)),
      catalogue: setup.catalogue === undefined ? catalogue : undefined,
      wrapped: setup.wrapped === undefined ? wrapped : undefined,
      choice,
      readOnly: settings.readOnly,
    };
  }
}

/** What of it the operator allows. Wrapped servers are in no toolset that an operator can name. */
function limited({ toolsets, reads }: Access, { settings }: ServerSetup): Access {
  const names = settings.toolsets ?? TOOLSET_NAMES;
  return {
    toolsets: toolsets.filter((name) => name === 'exec' || names.includes(name)),
    reads: reads.filter((name) => names.includes(name)),
  };
}

/** The same for a client whose token allows this. If that is no change at all, its fence allows none either. */
function narrowed(setup: ServerSetup, { toolsets, reads }: Access): ServerSetup {
  const { settings, prepared, catalogue, wrapped } = setup;
  const readOnly = settings.readOnly || !toolsets.some(mayChange);
  const runs = toolsets.includes('exec');
  return {
    ...setup,
    prepared: readOnly === settings.readOnly ? prepared : setup.preparedReadOnly(),
    catalogue: runs ? catalogue : undefined,
    wrapped: runs ? wrapped : undefined,
    settings: { ...settings, readOnly, toolsets: [...toolsets, ...reads] },
  };
}

/** Executables are found at run time, and may do anything. */
function mayChange(toolset: ToolsetName): boolean {
  return toolset === 'exec' || !knownToolsets[toolset].every(changesNoFiles);
}

/** What of our own tools a server with this setup has. */
function selection(
  { settings: { toolsets, readOnly }, history }: ServerSetup,
  { toolsets: changing }: Access,
): Parameters<typeof selectTools>[0] {
  return { ...(toolsets !== undefined && { toolsets }), readOnly, changing, history: history !== undefined };
}

function toolOptions(
  era: Era,
  setup: ServerSetup,
  allowed: Access,
  projects: ProjectSessions,
  { programs, ...shared }: SharedByCalls,
): RegisterToolsOptions {
  const { settings, log, events, sessions, questions, home, catalogue } = setup;
  const audit: RegisterToolsOptions['audit'] = (entry, session) => events.record({ ...entry, session });
  return {
    ...shared,
    ...selection(setup, allowed),
    era,
    diagnostics: settings.diagnostics,
    overwriteChanged: settings.overwriteChanged,
    home,
    log,
    executables: () => (catalogue === undefined ? [] : (programs?.running ?? [])),
    projects,
    // Looked up for every call: a page may have come or gone meanwhile.
    get audit() {
      return events.wanted ? audit : undefined;
    },
    get consent() {
      return settings.uiConsent ? questions : undefined;
    },
    get observe() {
      return era === 'modern' && sessions.watched ? observeModern(setup) : undefined;
    },
  };
}

/** Nothing lives on between modern requests, so a client is shown with what its last call saw. */
function observeModern({ sessions }: ServerSetup): RegisterToolsOptions['observe'] {
  return ({ name, version }, view) => {
    const id = modernSession(name);
    const known = sessions.list().find((session) => session.id === id);
    const client = `${name} ${version}`.trim();
    sessions.update({ id, era: 'modern', since: known?.since ?? Date.now(), view, client: () => client });
  };
}

/** A modern server lives for one request; one with a tools project has resources and prompts of its own. */
function contentFor(era: Era, setup: ServerSetup, projects: ProjectSessions): SharedContent | undefined {
  if (era === 'modern' || setup.catalogue !== undefined) return undefined;
  return new SharedContent((registry) => {
    offerPanel(registry, setup.program, (ctx) => sessionOf(ctx).server);
    registerResources(registry);
    offerGuides(registry, era, { setup, projects }, sessionOf);
    offerSubscriptions(
      registry,
      () => undefined,
      (ctx) => sessionOf(ctx).subscriptions,
    );
  });
}

/** The guidance of projects, where it is among the toolsets. */
export function offerGuides(
  server: WorkspaceServer,
  era: Era,
  { setup, projects }: Pick<Offer, 'setup' | 'projects'>,
  readerOf: (ctx: ServerContext) => GuideReader,
): void {
  if (setup.settings.toolsets?.includes('project') ?? true) registerGuides(server, projects, era, readerOf);
}
