import { isAbsolute } from 'node:path';
import type { Root } from '@rootward/core';
import { isWorkspaceProgram, pathOutside, type Environment } from '@rootward/core/platform';
import type { ServerDefinition } from './definition.js';

/** What any program needs to find its files, its user and its language. Names are compared as Windows does. */
const NEEDED_BY_ALL: ReadonlySet<string> = new Set([
  'HOME',
  'LANG',
  'LANGUAGE',
  'LOGNAME',
  'TEMP',
  'TMP',
  'TMPDIR',
  'TZ',
  'USER',
  'XDG_CACHE_HOME',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  // Windows.
  'APPDATA',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'NUMBER_OF_PROCESSORS',
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'PROGRAMFILES(X86)',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'USERNAME',
  'USERPROFILE',
  'WINDIR',
]);
const LOCALE = /^LC_[A-Z]+$/;

/**
 * The environment of a language server: the variables that every program needs, those that its definition names, and
 * nothing else of ours, since tokens and keys live in environments. `PATH` is without the folders of the workspace, and
 * so is every variable that names a folder for the server to run programs of.
 */
export function serverEnvironment(
  environment: Environment,
  roots: readonly Root[],
  definition: Pick<ServerDefinition, 'environment' | 'inherits'>,
): Record<string, string> {
  const inherited = new Set(definition.inherits ?? []);
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined) continue;
    const upper = name.toUpperCase();
    if (upper === 'PATH') {
      const path = pathOutside(value, roots);
      // Without any, that of the system holds.
      if (path !== undefined) result[name] = path;
    } else if (NEEDED_BY_ALL.has(upper) || LOCALE.test(upper)) result[name] = value;
    else if (inherited.has(name) && !(isAbsolute(value) && isWorkspaceProgram(value, roots)))
      result[name] = value;
  }
  return { ...result, ...definition.environment };
}
