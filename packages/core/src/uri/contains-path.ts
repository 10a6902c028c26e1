import type { PathStyle } from './path-style.js';

/**
 * Whether `path` is `directory` or lies below it, compared part by part, so that `/a` does not contain `/ab`.
 *
 * Purely lexical: both must be canonical already. Does not resolve links or dot segments, and compares letter case
 * exactly, since canonical paths carry the case the disk has.
 *
 * @example
 * ```ts
 * import { containsPath, hostPathStyle } from '@rootward/core';
 *
 * console.log(containsPath('/home/me', '/home/me/app', hostPathStyle)); // true
 * console.log(containsPath('/home/me', '/home/meadow', hostPathStyle)); // false
 * ```
 */
export function containsPath(directory: string, path: string, style: PathStyle): boolean {
  return path === directory || path.startsWith(asPrefix(directory, style));
}

/** The same for any of several directories, in time that grows with the depth of `path` and not with their number. */
export function isWithinAny(directories: ReadonlySet<string>, path: string, style: PathStyle): boolean {
  if (directories.has(path)) return true;
  const separator = separatorOf(style);
  for (let end = path.indexOf(separator); end >= 0; end = path.indexOf(separator, end + 1)) {
    // The top of a disk ends in its separator.
    if (directories.has(path.slice(0, end)) || directories.has(path.slice(0, end + 1))) return true;
  }
  return false;
}

/** What every path below a directory starts with. */
export function asPrefix(directory: string, style: PathStyle): string {
  const separator = separatorOf(style);
  return directory.endsWith(separator) ? directory : directory + separator;
}

function separatorOf(style: PathStyle): string {
  return style === 'windows' ? '\\' : '/';
}
