import { containsPath, hostPathStyle } from '@rootward/core';
import type { Root } from '@rootward/core';
import type { FolderKind } from '../servers/definition.js';
import type { ServedFolder } from './server-instance.js';

/** What to do with a running server after the roots changed. */
export type Reconciliation =
  | { readonly act: 'keep' }
  | { readonly act: 'change-folders'; readonly folders: readonly ServedFolder[] }
  | { readonly act: 'stop' };

/** The folders a server that follows folders is told of. Broad roots are not looked through; files are no folders. */
export function foldersOf(roots: readonly Root[]): readonly ServedFolder[] {
  return roots
    .filter((root) => root.kind === 'directory' && !root.broad)
    .map(({ path, name }) => ({ path, name }));
}

/**
 * A server that follows folders is told; one that knows a single folder ends with it; and one that serves whatever was
 * opened ends when it has seen anything of a folder that is gone, because it would go on answering for it.
 */
export function reconcile(
  kind: FolderKind,
  known: { readonly folders: readonly ServedFolder[]; readonly touched: Iterable<string> },
  roots: readonly Root[],
): Reconciliation {
  const inScope = (path: string): boolean => isUnder(roots, path);
  switch (kind) {
    case 'shared': {
      const folders = foldersOf(roots);
      if (roots.length === 0) return { act: 'stop' };
      if (sameFolders(known.folders, folders)) return { act: 'keep' };
      return folders.length === 0 ? { act: 'stop' } : { act: 'change-folders', folders };
    }
    case 'per-root':
      return known.folders.every(({ path }) => inScope(path)) ? { act: 'keep' } : { act: 'stop' };
    case 'file-driven':
      return [...known.touched].every(inScope) ? { act: 'keep' } : { act: 'stop' };
  }
}

export function isUnder(roots: readonly Root[], path: string): boolean {
  return roots.some((root) => containsPath(root.path, path, hostPathStyle));
}

function sameFolders(before: readonly ServedFolder[], after: readonly ServedFolder[]): boolean {
  const paths = new Set(before.map(({ path }) => path));
  return before.length === after.length && after.every(({ path }) => paths.has(path));
}
