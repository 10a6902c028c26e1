import { dirname, sep } from 'node:path';

/** Whether a canonical path is a folder or lies below it. Does NOT touch the disk. */
export function isAtOrBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Folders before what is in them. */
export function outerFirst(a: { readonly path: string }, b: { readonly path: string }): number {
  return a.path < b.path ? -1 : Number(a.path > b.path);
}

/** The folders that contain a canonical path, from the inside out. */
export function foldersAround(path: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); folder !== path; path = folder, folder = dirname(path))
    folders.push(folder);
  return folders;
}

/** Whether a canonical path lies below one of these. */
function isBelowOneOf(path: string, folders: ReadonlySet<string>): boolean {
  return folders.size > 0 && foldersAround(path).some((folder) => folders.has(folder));
}

/** Of canonical paths, those that lie below none of the others; each once, folders first. */
export function outermost(paths: Iterable<string>): readonly string[] {
  const all = new Set(paths);
  return [...all].filter((path) => !isBelowOneOf(path, all)).sort();
}
