import { isAbsolute, join } from 'node:path';
import type { Environment } from './find-program.js';

/** Where this user's programs keep what they have to remember: `$XDG_STATE_HOME/rootward`, or what stands for it. */
export function stateDirectory(
  environment: Environment,
  home: string,
  platform: NodeJS.Platform = process.platform,
): string {
  // A relative value would depend on the directory of the process, and is to be ignored (XDG Base Directory).
  const given = environment['XDG_STATE_HOME'] ?? '';
  if (isAbsolute(given)) return join(given, 'rootward');
  const local = environment['LOCALAPPDATA'] ?? '';
  if (platform === 'win32' && isAbsolute(local)) return join(local, 'rootward');
  return join(home, '.local', 'state', 'rootward');
}
