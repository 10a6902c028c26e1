import { join } from 'node:path';
import { canonicalPlaces, protectedPlaces } from '@rootward/core';
import type { Logger, OperatorLimits, ProtectedPlace, TemporaryFiles } from '@rootward/core';
import { lockDirectory, ProcessLocks, stateDirectory, userDirectory } from '@rootward/core/platform';
import { ProjectSettingsStore } from '../guidance/settings-store.js';
import { ProgramSandboxes } from '../sandbox/program-sandboxes.js';
import { usualPlaces } from '../settings/find-configuration.js';
import type { LoadedSettings } from '../settings/load-settings.js';
import { protectedPaths } from '../settings/protected-paths.js';
import { ScopeMaker } from '../settings/workspace-rules.js';
import type { StartContext } from './prepare-sources.js';
import { projectFolder } from './programs/project-folder.js';

/** What rules leave of roots, whatever the roots are: for our own tools, and for children. */
export interface PreparedFence {
  /** What users keep about their projects. */
  readonly projectSettings: ProjectSettingsStore;
  readonly createScope: ScopeMaker['create'];
  /** The same for clients that may change nothing, whatever the settings say. */
  readonly createReadOnlyScope: ScopeMaker['create'];
  /** What children may touch. */
  readonly sandboxes: ProgramSandboxes;
}

/** Puts together what the operator, users and workspaces say about files. */
export function prepareFence(
  settings: LoadedSettings,
  start: StartContext,
  log: Logger,
  { limits, temporaries }: { readonly limits: OperatorLimits; readonly temporaries: TemporaryFiles },
): PreparedFence {
  const { deny, sandbox } = settings;
  const { environment } = start;
  const projectSettings = new ProjectSettingsStore(userDirectory(start));
  const places = protectedFrom(settings, start);
  const locks = new ProcessLocks(lockDirectory(environment, start.home));
  const scopesWith = (readOnly: boolean): ScopeMaker['create'] =>
    new ScopeMaker({
      rules: { deny, readOnly, places, denyAbsolute: settings.denyAbsolute, limits },
      log,
      temporaries,
      locks,
      userRules: () => projectSettings.rules(),
      toolsProject: settings.writableProject ? undefined : projectFolder(settings.project, environment),
    }).create;
  return {
    projectSettings,
    createScope: scopesWith(settings.readOnly),
    createReadOnlyScope: scopesWith(true),
    sandboxes: new ProgramSandboxes({
      settings: sandbox,
      environment,
      denies: () =>
        deny.length + settings.denyAbsolute.length + limits.list().length > 0 ||
        projectSettings.rules() !== undefined,
      places,
    }),
  };
}

/** Where answers are kept that outlive a session. Out of reach of the tools: none may allow itself anything. */
export function consentsFolder({ environment, home }: Pick<StartContext, 'environment' | 'home'>): string {
  return join(stateDirectory(environment, home), 'consents');
}

/** Where edits under way are noted. */
export function editJournal({ environment, home }: Pick<StartContext, 'environment' | 'home'>): string {
  return join(userDirectory({ environment, home }), 'edits');
}

/** Where language servers keep what they find out about the roots. */
export function serverCache({ environment, home }: Pick<StartContext, 'environment' | 'home'>): string {
  return join(stateDirectory(environment, home), 'language-servers');
}

/** The register for this operator and this user, by canonical paths. */
function protectedFrom(settings: LoadedSettings, start: StartContext): readonly ProtectedPlace[] {
  const { environment, home, program, command } = start;
  const { project } = settings;
  const operator = protectedPaths({
    configuration: [
      ...settings.places.map(({ file }) => file),
      ...usualPlaces(project, environment, home),
      ...[settings.tokenFile, settings.storeFile].filter((file) => file !== undefined),
    ],
    project: project ?? environment['MCPBASH_PROJECT_ROOT'],
    audit: settings.audit,
    program,
    command,
  });
  // Frozen, since scopes share an index of it.
  return Object.freeze([...operator, ...canonicalPlaces(protectedPlaces(start))]);
}
