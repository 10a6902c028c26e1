import { isAbsolute, join } from 'node:path';
import { stateDirectory } from '../platform/state-directory.js';
import { toPlaces, type ProtectedPlace, type Surroundings } from './place.js';

/** The name of each folder of ours. */
const NAME = 'rootward';

/** The folder of a user's configuration, project settings and edit journal. */
export function userDirectory({ environment, home, platform = process.platform }: Surroundings): string {
  const base =
    platform === 'win32'
      ? (absolute(environment['APPDATA']) ?? join(home, 'AppData', 'Roaming'))
      : (absolute(environment['XDG_CONFIG_HOME']) ?? join(home, '.config'));
  return join(base, NAME);
}

/** The folder of the sockets of this user's servers, which nobody else can enter. */
export function runtimeFolder(surroundings: Omit<Surroundings, 'home'>): string {
  const given = absolute(surroundings.environment['XDG_RUNTIME_DIR']);
  return given === undefined ? temporaryRuntimeFolder(surroundings) : join(given, NAME);
}

function kept(reason: string, ...paths: readonly string[]): readonly ProtectedPlace[] {
  return toPlaces({ where: 'at', protection: 'hidden', kind: 'kept', reason, unlessNamed: false }, paths);
}

/**
 * Everything that Rootward keeps for a user. A process that was started with other variables keeps it in the usual
 * places, so these count beside those that the environment names.
 */
export function keptPlaces(surroundings: Surroundings): readonly ProtectedPlace[] {
  const { environment, home, platform } = surroundings;
  const usual = { ...surroundings, environment: {} };
  return [
    ...kept(
      'Rootward keeps the history, consents and what it installed there',
      stateDirectory(environment, home, platform),
      stateDirectory({}, home, platform),
    ),
    ...kept(
      'the operator and the user configure Rootward there',
      userDirectory(surroundings),
      userDirectory(usual),
      join(home, 'Library', 'Application Support', NAME),
    ),
    ...kept(
      'the sockets of running servers are there',
      runtimeFolder(surroundings),
      temporaryRuntimeFolder(surroundings),
      temporaryRuntimeFolder(usual),
      ...(isWindows(platform) ? [] : [join('/run/user', String(userOf(surroundings)), NAME)]),
    ),
    ...kept(
      'it is the cache of Rootward',
      ...[absolute(environment['XDG_CACHE_HOME'])].flatMap((cache) =>
        cache === undefined ? [] : join(cache, NAME),
      ),
      join(home, '.cache', NAME),
    ),
  ];
}

function temporaryRuntimeFolder(surroundings: Omit<Surroundings, 'home'>): string {
  return join(temporaryDirectory(surroundings), `${NAME}-${userOf(surroundings)}`);
}

/** The same folder as `os.tmpdir()`, for any environment. */
function temporaryDirectory({ environment, platform }: Omit<Surroundings, 'home'>): string {
  const { TMPDIR, TMP, TEMP, SystemRoot: system } = environment;
  const named = isWindows(platform) ? [TEMP, TMP] : [TMPDIR, TMP, TEMP];
  const found = named.find((value) => value !== undefined && value !== '');
  return found ?? (isWindows(platform) ? join(system ?? 'C:\\Windows', 'temp') : '/tmp');
}

/** Windows has no numbers for users; their runtime folder has the same name for all. */
function userOf({ uid }: Pick<Surroundings, 'uid'>): number {
  return uid ?? process.getuid?.() ?? -1;
}

function isWindows(platform: NodeJS.Platform = process.platform): boolean {
  return platform === 'win32';
}

/** A relative value would depend on the directory of the process, and is to be ignored (XDG Base Directory). */
function absolute(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined;
}
