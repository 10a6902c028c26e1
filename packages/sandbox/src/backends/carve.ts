import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isAtOrBelow } from '../plan/path-order.js';

/** The names of a folder that are not links. */
export type ListFolder = (folder: string) => readonly string[];

/**
 * A folder without some paths, as the largest parts that hold none of them. Links are left out: a rule for one would be
 * a rule for where it leads, and using one takes no rule.
 */
export function carve(
  folder: string,
  without: readonly string[],
  list: ListFolder = listFolder,
): readonly string[] {
  if (without.some((path) => isAtOrBelow(folder, path))) return [];
  if (!without.some((path) => isAtOrBelow(path, folder))) return [folder];
  return list(folder).flatMap((name) => carve(join(folder, name), without, list));
}

function listFolder(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
      entry.isSymbolicLink() ? [] : [entry.name],
    );
  } catch {
    return [];
  }
}
