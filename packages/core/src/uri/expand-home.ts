import { hostPathStyle } from './path-style.js';

/**
 * `~` and `~/x` mean the home directory; `~user` and a `~` elsewhere are names like any other. Does NOT normalise what
 * follows: `..` after a link means what the disk says.
 */
export function expandHome(path: string, home: string): string {
  if (path === '~') return home;
  const isBelow = path.startsWith('~/') || (hostPathStyle === 'windows' && path.startsWith('~\\'));
  return isBelow ? home + path.slice(1) : path;
}
