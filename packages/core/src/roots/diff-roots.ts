import type { Root } from './root.js';

/** What `diffRoots` found. */
export interface RootsDiff {
  /** In the order of the list after. */
  readonly added: readonly Root[];
  /** In the order of the list before. */
  readonly removed: readonly Root[];
  /** The first directory root changed, appeared or went away. */
  readonly primaryChanged: boolean;
}

/**
 * What changed between two lists. Two roots are the same if their path, kind and access are the same; a new name alone
 * is not a change.
 */
export function diffRoots(before: readonly Root[], after: readonly Root[]): RootsDiff {
  const keysBefore = new Set(before.map(keyOf));
  const keysAfter = new Set(after.map(keyOf));
  return {
    added: after.filter((root) => !keysBefore.has(keyOf(root))),
    removed: before.filter((root) => !keysAfter.has(keyOf(root))),
    primaryChanged: primaryKey(before) !== primaryKey(after),
  };
}

export function isChange({ added, removed, primaryChanged }: RootsDiff): boolean {
  return added.length > 0 || removed.length > 0 || primaryChanged;
}

function primaryKey(roots: readonly Root[]): string | undefined {
  const primary = roots.find((root) => root.kind === 'directory');
  return primary && keyOf(primary);
}

function keyOf(root: Root): string {
  return `${root.kind} ${root.access} ${root.path}`;
}
