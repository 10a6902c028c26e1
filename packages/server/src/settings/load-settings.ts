import { RootwardServerError } from '../error.js';
import { readConfigurationFile } from './configuration-file.js';
import { configurationPlaces, type ConfigurationPlace } from './find-configuration.js';
import { fromEnvironment, type Environment } from './from-environment.js';
import type { OptionValues } from './values/option-values.js';
import { checkRootsFile } from './roots-file.js';
import { settle, type Settings } from './settings.js';

export interface LoadedSettings extends Settings {
  /** Where configuration files may be, whether there is one or not. */
  readonly places: readonly ConfigurationPlace[];
}

/** Reads the environment and the configuration files, and puts the command line on top. */
export async function loadSettings(
  flags: OptionValues,
  environment: Environment,
  home: string,
): Promise<LoadedSettings> {
  const variables = fromEnvironment(environment);
  const places = configurationPlaces({ ...variables, ...flags }, environment, home);
  const files = [];
  for (const { file, named } of places) {
    const found = await readConfigurationFile(file, home);
    if (found !== undefined) files.push(found);
    else if (named) throw new RootwardServerError('configuration', `Cannot use ${file}: it does not exist`);
  }
  const settings = settle(flags, variables, files);
  const project = settings.project ?? environment['MCPBASH_PROJECT_ROOT'];
  if (project !== undefined && project !== '') await checkRootsFile(project);
  return { ...settings, places };
}
