import { dirname, join } from 'node:path';
import { containsPath, hostPathStyle, type Root, type Scope } from '@rootward/core';

/** What is already known about folders, for questions about many files. */
export type KnownFolders = Map<string, string | undefined>;

/**
 * The folder a file's project starts in: the nearest one with a marker inside the deepest root, else that root itself.
 * Never above the root. Undefined for a single-file root, and in a broad root without a marker, which must not be
 * looked through.
 */
export function projectFolder(
  scope: Scope,
  file: string,
  markers: readonly string[],
  known: KnownFolders = new Map(),
): string | undefined {
  const { path, root } = scope.locate(file);
  if (root.kind === 'file') return undefined;
  return nearest(scope, dirname(path), root, markers, known);
}

function nearest(
  scope: Scope,
  folder: string,
  root: Root,
  markers: readonly string[],
  known: KnownFolders,
): string | undefined {
  if (known.has(folder)) return known.get(folder);
  const isBroadRoot = folder === root.path && root.broad;
  let found: string | undefined;
  if (!isBroadRoot && markers.some((marker) => exists(scope, join(folder, marker)))) found = folder;
  else if (folder !== root.path && containsPath(root.path, folder, hostPathStyle))
    found = nearest(scope, dirname(folder), root, markers, known);
  else found = root.broad ? undefined : root.path;
  known.set(folder, found);
  return found;
}

function exists(scope: Scope, path: string): boolean {
  try {
    return scope.locate(path).exists;
  } catch {
    return false;
  }
}
