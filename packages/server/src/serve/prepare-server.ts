import { OperatorLimits, TemporaryFiles, Workspace, type Logger, type Sources } from '@rootward/core';
import { prepareWorkspace } from '@rootward/mcp/host';
import type { OpenHistory, PreparedWorkspace, WorkspaceOptions } from '@rootward/mcp/host';
import { historyOpener } from '../history/open-history.js';
import type { AuditTrail } from '../audit/audit-trail.js';
import { openAudit } from '../audit/open-audit.js';
import { EventHub } from '../audit/event-hub.js';
import { unknownVariables, type Environment } from '../settings/from-environment.js';
import { requireHttp } from '../settings/http-only.js';
import type { LoadedSettings } from '../settings/load-settings.js';
import { isSharedFile } from '../settings/values/token-file.js';
import { lazily } from '../settings/lazily.js';
import type { ProgramSandboxes } from '../sandbox/program-sandboxes.js';
import type { Telemetry } from '../telemetry/telemetry.js';
import type { WrappedServers } from '../wrapped/open-wrapped.js';
import { openStore, requireShareable, type SharedStore } from './sharing/open-store.js';
import {
  consentsFolder,
  editJournal,
  prepareFence,
  serverCache,
  type PreparedFence,
} from './prepare-fence.js';
import { prepareSources, sourceOptions, type PreparedSources, type StartContext } from './prepare-sources.js';
import { servedProject } from './programs/project-folder.js';
import type { ToolCatalogue } from '../exec/project/tool-catalogue.js';
import type { ProjectSettingsStore } from '../guidance/settings-store.js';
import { LiveSessions, modernSession } from '../watch/live-process.js';
import { doorFolder } from '../watch/door-key.js';
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
  readonly serverCache: string;
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
  /** What rules leave of roots. */
  readonly createScope: PreparedFence['createScope'];
  /** What children may touch. */
  readonly sandboxes: ProgramSandboxes;
  /** What is shared with other instances. */
  readonly store: SharedStore | undefined;
  /** What was there before each change; undefined where the operator wants none. */
  readonly history: OpenHistory | undefined;
}

/** Unless the operator allows it, no page may answer, and no answer of a page is remembered. */
function waitingQuestions(
  { uiConsent }: LoadedSettings,
  start: StartContext,
  events: EventHub,
): WaitingQuestions {
  if (!uiConsent) return new WaitingQuestions();
  return new WaitingQuestions({
    consents: new StandingConsents(consentsFolder(start), doorFolder(start)),
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
  const temporaries = new TemporaryFiles();
  const history = historyOpener(settings, start, log);
  const limits = new OperatorLimits();
  const sessions = new LiveSessions();
  const fence = prepareFence(settings, start, log, { limits, temporaries });
  const { projectSettings, sandboxes, createScope } = fence;
  const options: WorkspaceOptions = {
    ...sourceOptions(settings, start, log),
    createScope,
    ...(history !== undefined && { history }),
  };
  const sources: Sources = { ...(await prepareSources(settings, options)).sources, limits };
  const events = new EventHub();
  const audit = openAudit(settings.audit, events, log);
  const unsandboxed = await sandboxes.check();
  if (unsandboxed !== undefined) log.warn(unsandboxed);
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
    preparedReadOnly: lazily(() => prepare({ ...options, createScope: fence.createReadOnlyScope })),
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
    catalogue: await findCatalogue(settings, start, log),
    telemetry: undefined,
    wrapped: undefined,
    environment: start.environment,
    home: start.home,
    program: start.program,
    directory: start.directory,
    editJournal: editJournal(start),
    serverCache: serverCache(start),
    createScope,
    sandboxes,
  };
}

/** Nothing of it is loaded without a tools project. */
async function findCatalogue(
  settings: LoadedSettings,
  { environment }: StartContext,
  log: Logger,
): Promise<ToolCatalogue | undefined> {
  const folder = servedProject(settings, environment);
  if (folder === undefined) return undefined;
  const { openCatalogue } = await import('./programs/open-catalogue.js');
  return openCatalogue(folder, settings, environment, log);
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
