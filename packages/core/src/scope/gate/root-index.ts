import type { Root } from '../../roots/root.js';
import { isWithin } from './child-path.js';
import { foldCase } from './letter-case.js';
import { PathIndex } from './path-index.js';

/** Kernel interfaces, not files: never in scope, whatever the roots are. A root of `/` would otherwise open them. */
const KERNEL_DIRECTORIES = /^\/(?:proc|sys|dev)(?:\/|$)/;

export function isKernelPath(path: string): boolean {
  return KERNEL_DIRECTORIES.test(path);
}

/** The same for an entry of a folder that is not one itself: only the top of the disk has such entries. */
export function isKernelEntry(folder: string, path: string): boolean {
  return folder === '/' && isKernelPath(path);
}

/** Finds the roots that contain a canonical path. */
export class RootIndex {
  readonly #roots = new PathIndex<Root>();

  constructor(roots: readonly Root[]) {
    for (const root of roots) {
      if (this.#roots.get(root.path) === undefined) this.#roots.set(root.path, root);
    }
  }

  /**
   * Deepest first. A single-file root that has become a folder (`isDirectory`) is not a root any more: it would put a
   * whole tree in scope.
   */
  containing(path: string, isDirectory: boolean): readonly Root[] {
    if (isKernelPath(path)) return [];
    const above = this.#roots.above(path).filter(({ kind }) => kind === 'directory');
    const exact = this.#roots.get(path);
    return exact !== undefined && (exact.kind === 'directory' || !isDirectory) ? [exact, ...above] : above;
  }

  has(path: string): boolean {
    return this.#roots.get(path) !== undefined;
  }

  /** True when `path` is a root or a directory on the way to one: moving it would move a root. */
  leadsToRoot(path: string): boolean {
    if (this.has(path)) return true;
    const folded = foldCase(path);
    for (const root of this.#roots.keys()) if (isWithin(foldCase(root), folded)) return true;
    return false;
  }
}
