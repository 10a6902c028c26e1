import { sep } from 'node:path';

/**
 * `~` and `~/x` mean the home directory; `~user` and a `~` elsewhere are names like any other. Does NOT normalise what
 * follows: `..` after a link means what the disk says.
 */
export function expandHome(path: string, home: string): string {
  if (path === '~') return home;
  return path.startsWith('~/') || path.startsWith(`~${sep}`) ? home + path.slice(1) : path;
}
