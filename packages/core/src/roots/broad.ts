import type { PathStyle } from '../uri/path-style.js';
import { containsPath } from '../uri/contains-path.js';

/**
 * Whether a canonical directory is the whole disk, a whole drive, the home directory or an ancestor of it.
 *
 * Windows paths are compared without regard to case: here a false "broad" only adds caution.
 */
export function isBroad(path: string, home: string, style: PathStyle): boolean {
  if (style === 'posix') return path === '/' || containsPath(path, home, style);
  return /^[a-z]:\\?$/i.test(path) || containsPath(path.toLowerCase(), home.toLowerCase(), style);
}
