import { containsPath, hostPathStyle } from '@rootward/core';
import type { Root, RootsDiff } from '@rootward/core';
import type { ServedFolder, ServerInstance } from './server-instance.js';

/** Roots that came and went, as the workspace found them. */
export type RootsChange = Pick<RootsDiff, 'added' | 'removed'>;

/** The folders reported to a server that follows folders. Broad roots are not searched; files are not folders. */
export function foldersOf(roots: readonly Root[]): readonly ServedFolder[] {
  return roots
    .filter((root) => root.kind === 'directory' && !root.broad)
    .map(({ path, name }) => ({ path, name }));
}

type Followed = Pick<
  ServerInstance,
  'kind' | 'folders' | 'touched' | 'isSandboxed' | 'closeUnless' | 'changeFolders'
>;

/**
 * Lets a running server follow a change of the roots; `after` are all of them. False when it has to end: one that
 * follows folders when none is left, one that knows a single folder with that folder, and one that serves whatever was
 * opened when it has seen anything of a folder that is gone, because it would go on answering for it; and one in a
 * sandbox with every change.
 */
export function followRoots(
  instance: Followed,
  { added, removed }: RootsChange,
  after: readonly Root[],
): boolean {
  const isInScope = (path: string): boolean =>
    after.some((root) => containsPath(root.path, path, hostPathStyle));
  // What its sandbox lets it see was fixed when it started.
  if (instance.isSandboxed && added.length + removed.length > 0) return false;
  instance.closeUnless(isInScope);
  switch (instance.kind) {
    case 'shared':
      if (foldersOf(after).length === 0) return after.length > 0 && instance.folders.length === 0;
      instance.changeFolders(foldersOf(added), foldersOf(removed));
      return true;
    case 'per-root':
      return instance.folders.every(({ path }) => isInScope(path));
    case 'file-driven':
      return [...instance.touched].every(isInScope);
  }
}
