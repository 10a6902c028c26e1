import type { PathStyle } from '../uri/path-style.js';

/**
 * Whether `path` is `directory` or lies below it, compared part by part, so that `/a` does not contain `/ab`.
 *
 * Purely lexical: both must be canonical already. Does not resolve links or dot segments, and compares letter case
 * exactly, since canonical paths carry the case the disk has.
 */
export function containsPath(directory: string, path: string, style: PathStyle): boolean {
  const separator = style === 'windows' ? '\\' : '/';
  const prefix = directory.endsWith(separator) ? directory : directory + separator;
  return path === directory || path.startsWith(prefix);
}
