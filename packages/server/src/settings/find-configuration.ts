import { userDirectory } from '@rootward/core/platform';
import { isAbsolute, join } from 'node:path';
import type { Environment } from './from-environment.js';
import type { OptionValues } from './values/option-values.js';

export const CONFIGURATION_FILE = 'rootward.json';

/** A place where a configuration file may be. */
export interface ConfigurationPlace {
  readonly file: string;
  /** Named by whoever runs the server, so its absence is an error. */
  readonly named: boolean;
}

/**
 * Where configuration files are looked for, strongest first. Never in the directory of the process, and never in a
 * root: whoever can write there must not steer the fence.
 */
export function configurationPlaces(
  { config, project }: Pick<OptionValues, 'config' | 'project'>,
  environment: Environment,
  home: string,
): readonly ConfigurationPlace[] {
  if (config !== undefined) return [{ file: config, named: true }];
  return usualPlaces(project, environment, home).map((file) => ({ file, named: false }));
}

/** Where a start without `--config` would look. */
export function usualPlaces(
  project: string | undefined,
  environment: Environment,
  home: string,
): readonly string[] {
  const inherited = absolute(environment['MCPBASH_PROJECT_ROOT']);
  const directories = [project ?? inherited, userDirectory({ environment, home })];
  return directories
    .filter((directory) => directory !== undefined)
    .map((directory) => join(directory, CONFIGURATION_FILE));
}

/** A relative value would depend on the directory of the process, and is to be ignored (XDG Base Directory). */
function absolute(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined;
}
