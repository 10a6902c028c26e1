import { join, relative } from 'node:path';
import type { Root } from '../../roots/root.js';
import { isWithin } from './child-path.js';

/** The place in the main working tree that corresponds to a path in a linked one. */
export interface StoodFor {
  readonly path: string;
  /** The root of the main tree. */
  readonly root: Root;
  /** A folder of the main tree, as it is called in the linked one. */
  readonly back: (folder: string) => string;
}

/** Roots that replace others for one call. The rules of the replaced roots apply in them, too. */
export class StandIns {
  readonly #roots: readonly { readonly root: Root; readonly original: Root }[];

  constructor(roots: readonly Root[]) {
    this.#roots = roots.flatMap(({ standsFor, ...root }) =>
      standsFor === undefined ? [] : [{ root, original: { ...root, path: standsFor } }],
    );
  }

  /** True for most calls. */
  get isEmpty(): boolean {
    return this.#roots.length === 0;
  }

  of(path: string): StoodFor | undefined {
    if (this.isEmpty) return undefined;
    const found = this.#roots.find(({ root }) => isWithin(path, root.path));
    if (found === undefined) return undefined;
    const { root, original } = found;
    return {
      path: join(original.path, relative(root.path, path)),
      root: original,
      back: (folder) => join(root.path, relative(original.path, folder)),
    };
  }
}
