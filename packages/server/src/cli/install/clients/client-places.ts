import { clientFolders, type ClientFolders } from '@rootward/core/platform';
import type { Environment } from '../../../settings/from-environment.js';

/** Where the files of clients are on this machine. */
export interface ClientPlaces extends ClientFolders {
  /** The folder of the project. */
  readonly project: string;
}

export function clientPlaces(
  start: { readonly environment: Environment; readonly home: string; readonly directory: string },
  platform: NodeJS.Platform = process.platform,
): ClientPlaces {
  return { ...clientFolders({ ...start, platform }), project: start.directory };
}
