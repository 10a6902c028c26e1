import { join } from 'node:path';
import { OperatorLimits, TemporaryFiles, Workspace, type Logger, type Sources } from '@rootward/core';
import { stateDirectory } from '@rootward/core/platform';
import { prepareWorkspace } from '@rootward/mcp/host';
import type { OpenHistory, PreparedWorkspace, WorkspaceOptions } from '@rootward/mcp/host';
import { historyFolder, historyOpener } from '../history/open-history.js';
import type { AuditTrail } from '../audit/audit-trail.js';
import { openAudit } from '../audit/open-audit.js';
import { EventHub } from '../audit/event-hub.js';
import { usualPlaces, userDirectory } from '../settings/find-configuration.js';
import { unknownVariables, type Environment } from '../settings/from-environment.js';
import { requireHttp } from '../settings/http-only.js';
import type { LoadedSettings } from '../settings/load-settings.js';
import { protectedPaths } from '../settings/protected-paths.js';
import { isSharedFile } from '../settings/values/token-file.js';
import { lazily } from '../settings/lazily.js';
import { ScopeMaker } from '../settings/workspace-rules.js';
import { ProgramSandboxes } from '../sandbox/program-sandboxes.js';
import type { Telemetry } from '../telemetry/telemetry.js';
import type { WrappedServers } from '../wrapped/open-wrapped.js';
import { openStore, requireShareable, type SharedStore } from './sharing/open-store.js';
import { openCatalogue, projectFolder } from './open-catalogue.js';
import { prepareSources, sourceOptions, type PreparedSources, type StartContext } from './prepare-sources.js';
import type { ToolCatalogue } from '../exec/project/tool-catalogue.js';
import { ProjectSettingsStore } from '../guidance/settings-store.js';
import { LiveSessions, modernSession } from '../watch/live-process.js';
import { StandingConsents } from '../watch/standing-consents.js';
import { WaitingQuestions } from '../watch/waiting-questions.js';
import { StderrLogger } from './stderr-logger.js';

/** What all connections of a server have in common. */
export interface ServerSetup {
  readonly settings: LoadedSettings;
  readonly prepared: PreparedWorkspace;
  /** The same for clients that may change nothing, whatever the settings say. */
  readonly preparedReadOnly: () => PreparedWorkspace;
  /** What was found at the start. */
  readonly sources: Sources;
  readonly log: Logger;
  readonly audit: AuditTrail | undefined;
  /** What happens, for the audit file and for pages. */
  readonly events: EventHub;
  /** What the operator took away since the start. */
  readonly limits: OperatorLimits;
  /** The connections of this process. */
  readonly sessions: LiveSessions;
  /** Questions that wait for an answer on the page. */
  readonly questions: WaitingQuestions;
  /** The executables of the tools project. */
  readonly catalogue: ToolCatalogue | undefined;
  /** Reports calls as spans and durations; only in a process that serves. */
  readonly telemetry: Telemetry | undefined;
  /** Wrapped servers; only in a process that serves. */
  readonly wrapped: WrappedServers | undefined;
  /** Where edits under way are noted. */
  readonly editJournal: string;
  readonly environment: Environment;
  readonly home: string;
  /** The folder of the running program. */
  readonly program: string | undefined;
  /** Where the server was started. */
  readonly directory: string;
  /** Files that are half-written, which must not outlive the process. */
  readonly temporaries: TemporaryFiles;
  /** What users keep about their projects. */
  readonly projectSettings: ProjectSettingsStore;
  /** What children may touch. */
  readonly sandboxes: ProgramSandboxes;
  /** What is shared with other instances. */
  readonly store: SharedStore | undefined;
  /** What was there before each change; undefined where the operator wants none. */
  readonly history: OpenHistory | undefined;
}

/** Where answers are kept that outlive a session. Out of reach of the tools: none may allow itself anything. */
function consentsFolder({ environment, home }: StartContext): string {
  return join(stateDirectory(environment, home), 'consents');
}

/** Unless the operator allows it, no page may answer, and no answer of a page is remembered. */
function waitingQuestions(
  { uiConsent }: LoadedSettings,
  start: StartContext,
  events: EventHub,
): WaitingQuestions {
  if (!uiConsent) return new WaitingQuestions();
  return new WaitingQuestions({
    consents: new StandingConsents(consentsFolder(start)),
    used: ({ message: path }) =>
      events.record({ session: 'operator', tool: 'standing-consent', path, decision: 'allowed' }),
  });
}

/** Reads the sources and opens what serving needs. Throws where something named by the operator cannot be used. */
export async function prepareServer(
  settings: LoadedSettings,
  start: StartContext,
  log: Logger = new StderrLogger(settings.logLevel),
  store?: SharedStore,
): Promise<ServerSetup> {
  for (const warning of unknownVariables(start.environment)) log.warn(warning);
  if (settings.tokenFile !== undefined && isSharedFile(settings.tokenFile)) {
    log.warn('other users may read the token file; chmod 600 keeps it yours', { file: settings.tokenFile });
  }
  if (settings.storeFile !== undefined && isSharedFile(settings.storeFile)) {
    log.warn('other users may read the URL of the store; chmod 600 keeps it yours', {
      file: settings.storeFile,
    });
  }
  const projectSettings = new ProjectSettingsStore(userDirectory(start.environment, start.home));
  const temporaries = new TemporaryFiles();
  const protect = steeringFiles(settings, start, projectSettings);
  const history = historyOpener(settings, start, log);
  const limits = new OperatorLimits();
  const sessions = new LiveSessions();
  const shared = { projectSettings, temporaries, protect, history, limits };
  const options = workspaceOptions(settings, start, log, shared);
  const sources: Sources = { ...(await prepareSources(settings, options)).sources, limits };
  const events = new EventHub();
  const audit = openAudit(settings.audit, events, log);
  const sandboxes = new ProgramSandboxes({
    settings: settings.sandbox,
    environment: start.environment,
    denies: () =>
      settings.deny.length + settings.denyAbsolute.length > 0 || projectSettings.rules() !== undefined,
    protect,
  });
  await sandboxes.check();
  const prepare = (fenced: WorkspaceOptions): PreparedWorkspace =>
    prepareWorkspace({
      ...fenced,
      sources,
      onCaller: (caller) => sessions.noteCall({ id: modernSession(caller.client ?? '') }, caller),
      ...(store !== undefined && { revocations: store.revocations }),
    });
  return {
    settings,
    prepared: prepare(options),
    preparedReadOnly: lazily(() =>
      prepare(workspaceOptions({ ...settings, readOnly: true }, start, log, shared)),
    ),
    store,
    sources,
    log,
    audit,
    events,
    limits,
    sessions,
    questions: waitingQuestions(settings, start, events),
    projectSettings,
    temporaries,
    history,
    catalogue: await openCatalogue(settings, start.environment, log),
    telemetry: undefined,
    wrapped: undefined,
    environment: start.environment,
    home: start.home,
    program: start.program,
    directory: start.directory,
    editJournal: editJournal(start),
    sandboxes,
  };
}

/** The same for a process that serves: with what it shares with others. */
export async function prepareToServe(settings: LoadedSettings, start: StartContext): Promise<ServerSetup> {
  requireHttp(settings);
  requireShareable(settings, start.environment);
  const log = new StderrLogger(settings.logLevel);
  const store = settings.store === undefined ? undefined : await openStore(settings, log);
  return prepareServer(settings, start, log, store);
}

/** What a client that names no folders would have. */
export function workspaceWithoutClient({ prepared, sources }: PreparedSources): Workspace {
  const { createScope } = prepared.options;
  return new Workspace({ sources, ...(createScope !== undefined && { createScope }) });
}

function editJournal({ environment, home }: StartContext): string {
  return join(userDirectory(environment, home), 'edits');
}

/** Canonical files and folders that nothing may change through the fence. */
function steeringFiles(
  settings: LoadedSettings,
  start: StartContext,
  projectSettings: ProjectSettingsStore,
): readonly string[] {
  const { environment, home, program, command } = start;
  const { project } = settings;
  return protectedPaths({
    configuration: [
      ...settings.places.map(({ file }) => file),
      ...usualPlaces(project, environment, home),
      projectSettings.directory,
      editJournal(start),
      ...[settings.tokenFile, settings.storeFile].filter((file) => file !== undefined),
    ],
    project: project ?? environment['MCPBASH_PROJECT_ROOT'],
    audit: settings.audit,
    program,
    command,
  });
}

function workspaceOptions(
  settings: LoadedSettings,
  start: StartContext,
  log: Logger,
  {
    projectSettings,
    temporaries,
    protect,
    history,
    limits,
  }: Pick<ServerSetup, 'projectSettings' | 'temporaries' | 'history' | 'limits'> & {
    readonly protect: readonly string[];
  },
): WorkspaceOptions {
  const { deny, readOnly } = settings;
  const denyAbsolute = [...settings.denyAbsolute, historyFolder(start), consentsFolder(start)];
  const rules = { deny, readOnly, protect, denyAbsolute, limits };
  return {
    ...sourceOptions(settings, start, log),
    createScope: new ScopeMaker({
      rules,
      log,
      temporaries,
      userRules: () => projectSettings.rules(),
      toolsProject: settings.writableProject ? undefined : projectFolder(settings.project, start.environment),
    }).create,
    ...(history !== undefined && { history }),
  };
}
