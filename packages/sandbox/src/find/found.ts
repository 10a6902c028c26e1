import { dirname } from 'node:path';

/** A file or folder below a root that steers programs of the user. */
export interface Found {
  readonly path: string;
  /** `link`: a symbolic link, also to a folder that may hold such a file. `unseen`: a folder that was not looked into. */
  readonly kind: 'folder' | 'file' | 'link' | 'unseen';
}

/** Names that are looked for, and how far. */
export interface Wanted {
  /** Paths such as `.vscode/mcp.json` that match what ends with them, in any letter case; `*` may be in the last name. */
  readonly endings: readonly string[];
  readonly maxFolders: number;
}

/** In place of bytes that are not text: such a path leads nowhere. */
const NOT_TEXT = '\uFFFD';

/**
 * What has to be read-only so that nothing found can be changed. Nothing can be mounted on a link, so the folder of one
 * is taken. Pure.
 */
export function protecting({ path, kind }: Found): string {
  const at = path.indexOf(NOT_TEXT);
  if (at !== -1) return dirname(path.slice(0, at + 1));
  return kind === 'link' ? dirname(path) : path;
}
