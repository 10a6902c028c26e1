import { join } from 'node:path';
import type { Logger, Sources } from '@rootward/core';
import { TemporaryFiles, Workspace } from '@rootward/core';
import { prepareWorkspace } from '@rootward/mcp';
import type { PreparedWorkspace, WorkspaceOptions } from '@rootward/mcp';
import { silentLogger } from '@rootward/core/platform';
import { AuditTrail } from '../audit/audit-trail.js';
import { usualPlaces, userDirectory } from '../settings/find-configuration.js';
import type { Environment } from '../settings/from-environment.js';
import { unknownVariables } from '../settings/from-environment.js';
import type { LoadedSettings } from '../settings/load-settings.js';
import { protectedPaths } from '../settings/protected-paths.js';
import { isSharedFile } from '../settings/values/token-file.js';
import { ScopeMaker } from '../settings/workspace-rules.js';
import { RootwardServerError } from '../error.js';
import { openCatalogue } from './open-catalogue.js';
import type { ToolCatalogue } from '../exec/catalogue/tool-catalogue.js';
import { ProjectSettingsStore } from '../guidance/settings-store.js';
import { StderrLogger } from './stderr-logger.js';

/** Where the server runs, passed in once by the command line. */
export interface StartContext {
  readonly environment: Environment;
  readonly home: string;
  /** What relative paths of the command line are relative to. */
  readonly directory: string;
  /** The folder of the running program, which the fence protects. */
  readonly program: string | undefined;
}

/** What all connections of a server have in common. */
export interface ServerSetup {
  readonly settings: LoadedSettings;
  readonly prepared: PreparedWorkspace;
  /** What was found at the start. */
  readonly sources: Sources;
  readonly log: Logger;
  readonly audit: AuditTrail | undefined;
  /** The executables of the tools project. */
  readonly catalogue: ToolCatalogue | undefined;
  /** Where edits under way are noted. */
  readonly editJournal: string;
  readonly environment: Environment;
  readonly home: string;
  /** Files that are half-written, which must not outlive the process. */
  readonly temporaries: TemporaryFiles;
  /** What users keep about their projects. */
  readonly projectSettings: ProjectSettingsStore;
}

/** Reads the sources and opens what serving needs. Throws where something named by the operator cannot be used. */
export async function prepareServer(
  settings: LoadedSettings,
  start: StartContext,
  log: Logger = new StderrLogger(settings.logLevel),
): Promise<ServerSetup> {
  for (const warning of unknownVariables(start.environment)) log.warn(warning);
  if (settings.tokenFile !== undefined && isSharedFile(settings.tokenFile)) {
    log.warn('other users may read the token file; chmod 600 keeps it yours', { file: settings.tokenFile });
  }
  const projectSettings = new ProjectSettingsStore(userDirectory(start.environment, start.home));
  const temporaries = new TemporaryFiles();
  const options = workspaceOptions(settings, start, log, { projectSettings, temporaries });
  return {
    settings,
    ...(settings.http === undefined ? await prepareLocal(options) : await prepareForHttp(options)),
    log,
    audit: openAudit(settings.audit, log),
    projectSettings,
    temporaries,
    catalogue: await openCatalogue(settings, start.environment, log),
    environment: start.environment,
    home: start.home,
    editJournal: editJournal(start),
  };
}

/** What a client that names no folders would have. */
export function workspaceWithoutClient({ prepared, sources }: Prepared): Workspace {
  const { createScope } = prepared.options;
  return new Workspace({ sources, ...(createScope !== undefined && { createScope }) });
}

/** What messages call the options of the library: here they are flags. */
const FLAGS = { roots: '--root', within: '--within', project: '--project' } as const;

type Prepared = Pick<ServerSetup, 'prepared' | 'sources'>;

async function prepareLocal(options: WorkspaceOptions): Promise<Prepared> {
  const prepared = prepareWorkspace(options);
  return { prepared, sources: await prepared.sources('local') };
}

async function prepareForHttp(options: WorkspaceOptions): Promise<Prepared> {
  const prepared = prepareWorkspace(options);
  const found = await prepared.sources('http');
  if (found.reading.ceiling !== undefined) return { prepared, sources: found };
  // Read again below the ceiling, and in silence: what there is to warn of has been said.
  const bounded = prepareWorkspace({ ...options, ...hintedCeiling(found), log: silentLogger });
  const sources = await bounded.sources('http');
  return { prepared: prepareWorkspace({ ...options, sources }), sources };
}

/**
 * Over HTTP, what the operator named is the ceiling. Where nothing was named, the folder the server was started for
 * takes its place: without any, whoever connects could name the whole disk.
 */
function hintedCeiling({ hints }: Sources): Pick<WorkspaceOptions, 'within' | 'origins'> {
  const hint = hints.find(({ roots }) => roots.length > 0);
  if (hint !== undefined)
    return { within: hint.roots.map(({ path }) => path), origins: { ...FLAGS, within: hint.source } };
  throw new RootwardServerError(
    'usage',
    'Cannot serve over HTTP: no folder was named; write it first: rootward DIR --http',
  );
}

function editJournal({ environment, home }: StartContext): string {
  return join(userDirectory(environment, home), 'edits');
}

function openAudit(file: string | undefined, log: Logger): AuditTrail | undefined {
  if (file === undefined) return undefined;
  return new AuditTrail({
    file,
    onFailure: (error) => log.warn('audit line not written', { file, error: String(error) }),
  });
}

function workspaceOptions(
  settings: LoadedSettings,
  start: StartContext,
  log: Logger,
  { projectSettings, temporaries }: Pick<ServerSetup, 'projectSettings' | 'temporaries'>,
): WorkspaceOptions {
  const { roots, within, origins, project, clientRoots, configuredRoots, deny, readOnly } = settings;
  const { environment, home, directory, program } = start;
  const protect = protectedPaths({
    configuration: [
      ...settings.places.map(({ file }) => file),
      ...usualPlaces(project, environment, home),
      projectSettings.directory,
      editJournal(start),
      ...(settings.tokenFile === undefined ? [] : [settings.tokenFile]),
    ],
    project: project ?? environment['MCPBASH_PROJECT_ROOT'],
    audit: settings.audit,
    program,
  });
  const rules = { deny, readOnly, protect };
  return {
    roots,
    directory,
    within,
    origins: { ...FLAGS, ...origins },
    config: configuredRoots,
    clientRoots,
    environment,
    home,
    log,
    createScope: new ScopeMaker({
      rules,
      log,
      temporaries,
      userRules: () => projectSettings.rules(),
    }).create,
    ...(project !== undefined && { project }),
  };
}
