import { join } from 'node:path';
import type { Environment } from '../../../settings/from-environment.js';

/** Where the files of clients are on this machine. */
export interface ClientPlaces {
  readonly home: string;
  /** The folder of the project. */
  readonly project: string;
  /** `$XDG_CONFIG_HOME`, or its default. */
  readonly config: string;
  /** Where programs with windows keep their settings. */
  readonly applications: string;
  readonly environment: Environment;
}

export function clientPlaces(
  {
    environment,
    home,
    directory,
  }: { readonly environment: Environment; readonly home: string; readonly directory: string },
  platform: NodeJS.Platform = process.platform,
): ClientPlaces {
  const config = given(environment['XDG_CONFIG_HOME']) ?? join(home, '.config');
  const roaming = given(environment['APPDATA']) ?? join(home, 'AppData', 'Roaming');
  const applications =
    platform === 'darwin'
      ? join(home, 'Library', 'Application Support')
      : platform === 'win32'
        ? roaming
        : config;
  return { home, project: directory, config, applications, environment };
}

/** The value of a variable that names a folder of a client, or where that is by default. */
export function folderOf({ environment, home }: ClientPlaces, variable: string, usual: string): string {
  return given(environment[variable]) ?? join(home, usual);
}

function given(value: string | undefined): string | undefined {
  return value === undefined || value === '' ? undefined : value;
}
