import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isAtOrBelow } from '../plan/path-order.js';

/** Remembers what was carved: the folders of the system rarely change, and a new file in them is just not visible. */
export class Carver {
  readonly #parts = new Map<string, readonly string[]>();

  carve(folder: string, without: readonly string[]): readonly string[] {
    const key = JSON.stringify([folder, without]);
    let parts = this.#parts.get(key);
    if (parts === undefined) {
      parts = carve(folder, without);
      // Entries of children that have ended are never used again.
      if (this.#parts.size >= MAX_REMEMBERED) this.#parts.clear();
      this.#parts.set(key, parts);
    }
    return parts;
  }
}

const MAX_REMEMBERED = 1000;

/** The names of a folder that are not links. */
export type ListFolder = (folder: string) => readonly string[];

/**
 * A folder without some paths, as the largest parts that contain none of them. Links are left out: a rule for a link
 * would apply to its target, and using a link needs no rule.
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
