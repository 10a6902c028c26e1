import { dirname, join } from 'node:path';
import { containsPath, hostPathStyle } from '@rootward/core';
import type { Scope } from '@rootward/core';

/**
 * The folder a file's project starts in: the nearest one with a marker inside the deepest root, else that root itself.
 * Never above the root. Undefined for a single-file root, and in a broad root without a marker, which must not be
 * looked through.
 */
export function projectFolder(scope: Scope, file: string, markers: readonly string[]): string | undefined {
  const { path, root } = scope.locate(file);
  if (root.kind === 'file') return undefined;
  let folder = dirname(path);
  while (containsPath(root.path, folder, hostPathStyle)) {
    const isBroadRoot = folder === root.path && root.broad;
    if (!isBroadRoot && markers.some((marker) => exists(scope, join(folder, marker)))) return folder;
    const above = dirname(folder);
    if (above === folder) break;
    folder = above;
  }
  return root.broad ? undefined : root.path;
}

function exists(scope: Scope, path: string): boolean {
  try {
    return scope.locate(path).exists;
  } catch {
    return false;
  }
}
