import { sep } from 'node:path';

/** Whether a canonical path is a folder or lies below it. Does NOT touch the disk. */
export function isAtOrBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Folders before what is in them. */
export function outerFirst(a: { readonly path: string }, b: { readonly path: string }): number {
  return a.path < b.path ? -1 : Number(a.path > b.path);
}
