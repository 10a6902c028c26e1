import { sep } from 'node:path';
import type { Root } from '../../roots/root.js';
import { isWithin } from './child-path.js';
import { foldCase } from './letter-case.js';

/** Kernel interfaces, not files: never in scope, whatever the roots are. A root of `/` would otherwise open them. */
const KERNEL_DIRECTORIES = ['/proc', '/sys', '/dev'];

export function isKernelPath(path: string): boolean {
  return KERNEL_DIRECTORIES.some((directory) => path === directory || path.startsWith(`${directory}/`));
}

/** Finds the roots that contain a canonical path, in time that grows with its depth and not with the roots. */
export class RootIndex {
  readonly #byPath = new Map<string, Root>();
  /** Lengths at which some root ends; other prefixes are skipped without a look-up. */
  readonly #lengths = new Set<number>();

  constructor(roots: readonly Root[]) {
    for (const root of roots) {
      if (this.#byPath.has(root.path)) continue;
      this.#byPath.set(root.path, root);
      this.#lengths.add(root.path.length);
    }
  }

  /**
   * Deepest first. Compares whole components of canonical paths; it resolves nothing itself. A single-file root that has
   * become a folder (`isDirectory`) is no root any more: it would put a whole tree in scope.
   */
  containing(path: string, isDirectory: boolean): readonly Root[] {
    if (isKernelPath(path)) return [];
    const found: Root[] = [];
    const exact = this.#at(path, path.length);
    if (exact !== undefined && (exact.kind === 'directory' || !isDirectory)) found.push(exact);
    let end = path.lastIndexOf(sep);
    while (end > 0) {
      this.#collect(path, end, found);
      end = path.lastIndexOf(sep, end - 1);
    }
    // `/` and `C:\` keep their separator, so they are no prefix that ends before one.
    const first = path.indexOf(sep);
    if (first >= 0 && path.length > first + 1) this.#collect(path, first + 1, found);
    return found;
  }

  has(path: string): boolean {
    return this.#byPath.has(path);
  }

  /** True when `path` is a root or a directory on the way to one: moving it would move a root. */
  leadsToRoot(path: string): boolean {
    if (this.#byPath.has(path)) return true;
    const folded = foldCase(path);
    for (const root of this.#byPath.keys()) if (isWithin(foldCase(root), folded)) return true;
    return false;
  }

  #collect(path: string, end: number, found: Root[]): void {
    const root = this.#at(path, end);
    if (root?.kind === 'directory') found.push(root);
  }

  #at(path: string, end: number): Root | undefined {
    if (!this.#lengths.has(end)) return undefined;
    return this.#byPath.get(end === path.length ? path : path.slice(0, end));
  }
}
