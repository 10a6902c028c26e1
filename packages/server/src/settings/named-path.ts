import { isAbsolute } from 'node:path';
import { expandHome } from '@rootward/core/platform';
import { pathBelow } from './values/path-below.js';

/**
 * What a path on the command line names: `~` is the home directory, also where no shell has replaced it, and a relative
 * path is below the directory of the shell. Does NOT normalise: `..` after a link means what the disk says.
 */
export function namedPath(
  path: string,
  { home, directory }: { readonly home: string; readonly directory: string },
): string {
  const named = expandHome(path, home);
  return isAbsolute(named) ? named : pathBelow(directory, named);
}
