import { isAbsolute, join } from 'node:path';
import type { Environment } from './find-program.js';

/** Where programs of this user keep their state: `$XDG_STATE_HOME/rootward`, or the equivalent of this system. */
export function stateDirectory(
  environment: Environment,
  home: string,
  platform: NodeJS.Platform = process.platform,
): string {
  // A relative value would depend on the directory of the process; the XDG Base Directory specification says to ignore
  // it.
  const given = environment['XDG_STATE_HOME'] ?? '';
  if (isAbsolute(given)) return join(given, 'rootward');
  const local = environment['LOCALAPPDATA'] ?? '';
  if (platform === 'win32' && isAbsolute(local)) return join(local, 'rootward');
  return join(home, '.local', 'state', 'rootward');
}
