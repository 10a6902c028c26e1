import { containsPath, hostPathStyle, type Root, type RootsDiff } from '@rootward/core';
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
  'kind' | 'folders' | 'touched' | 'sees' | 'closeUnless' | 'changeFolders'
>;

/** What happens to a server: it goes on, goes on until another takes over, or ends at once. */
export type Fate = 'goes on' | 'is replaced' | 'ends';

/**
 * Lets a running server follow a change of the roots; `after` are all of them. It ends when it follows folders and none
 * is left, when it knows a single folder and that is gone, and when it serves whatever was opened and has seen anything
 * of a folder that is gone, because it would go on answering for it. What a sandbox lets a server see was fixed when it
 * started: where that is more than the roots cover now, it ends. Where it is less, one that follows folders is replaced
 * and others end, unless the change does not concern the one folder that a server knows.
 */
export function followRoots(
  instance: Followed,
  { added, removed }: RootsChange,
  after: readonly Root[],
): Fate {
  const isInScope = (path: string): boolean =>
    after.some((root) => containsPath(root.path, path, hostPathStyle));
  const view = instance.sees(after);
  const isOutdated = view !== 'the same';
  if (view === 'more') return 'ends';
  if (isOutdated && instance.kind !== 'shared' && !isElsewhere(instance, { added, removed })) return 'ends';
  instance.closeUnless(isInScope);
  switch (instance.kind) {
    case 'shared':
      if (foldersOf(after).length === 0)
        return after.length > 0 && instance.folders.length === 0 && !isOutdated ? 'goes on' : 'ends';
      instance.changeFolders(isOutdated ? [] : foldersOf(added), foldersOf(removed));
      if (!isOutdated) return 'goes on';
      return instance.folders.length > 0 ? 'is replaced' : 'ends';
    case 'per-root':
      return instance.folders.every(({ path }) => isInScope(path)) ? 'goes on' : 'ends';
    case 'file-driven':
      return [...instance.touched].every(isInScope) ? 'goes on' : 'ends';
  }
}

/** Whether a change does not concern the folder of a server that knows only one. */
function isElsewhere({ kind, folders }: Followed, { added, removed }: RootsChange): boolean {
  const isApart = (root: Root): boolean =>
    folders.every(
      ({ path }) =>
        !containsPath(root.path, path, hostPathStyle) && !containsPath(path, root.path, hostPathStyle),
    );
  return kind === 'per-root' && removed.length === 0 && added.every(isApart);
}
