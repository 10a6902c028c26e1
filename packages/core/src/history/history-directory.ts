import { join } from 'node:path';
import { stateDirectory } from '../platform/state-directory.js';

/** Where a user's history is kept. */
export function historyDirectory(
  environment: Readonly<Record<string, string | undefined>>,
  home: string,
  platform: NodeJS.Platform = process.platform,
): string {
  return join(stateDirectory(environment, home, platform), 'history');
}
