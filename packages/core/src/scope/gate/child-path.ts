import { sep } from 'node:path';

/** The canonical path of an entry of a canonical folder. Plain text: it neither resolves nor checks the name. */
export function childPath(directory: string, name: string): string {
  return directory.endsWith(sep) ? directory + name : directory + sep + name;
}

/** Whether one canonical path is another or below it, by whole components. */
export function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}
