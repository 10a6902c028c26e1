import { sep } from 'node:path';

/**
 * Values by canonical path. Finding those above a path takes time that grows with its depth, not with the number of
 * values.
 */
export class PathIndex<Value> {
  readonly #byPath = new Map<string, Value>();
  /** Lengths at which some path ends; other prefixes are skipped without a look-up. */
  readonly #lengths = new Set<number>();
  /**
   * The last folder that was asked about, with the values above its entries: most questions are about the entries of
   * one folder.
   */
  #last: { readonly folder: string; readonly found: readonly Value[] } | undefined;

  get size(): number {
    return this.#byPath.size;
  }

  keys(): Iterable<string> {
    return this.#byPath.keys();
  }

  get(path: string): Value | undefined {
    // Most paths are as long as none of them, and looking one up means to hash it.
    return this.#lengths.has(path.length) ? this.#byPath.get(path) : undefined;
  }

  set(path: string, value: Value): void {
    this.#byPath.set(path, value);
    this.#lengths.add(path.length);
    this.#last = undefined;
  }

  /** The values of all folders above a path, deepest first. Compares whole components; it resolves nothing itself. */
  above(path: string): readonly Value[] {
    const length = path.lastIndexOf(sep) + 1;
    // A root, such as `/`, is above what is in it, but not above itself.
    if (length === path.length) return this.#find(path);
    if (this.#last?.folder.length !== length || !path.startsWith(this.#last.folder)) {
      this.#last = { folder: path.slice(0, length), found: this.#find(path) };
    }
    return this.#last.found;
  }

  #find(path: string): readonly Value[] {
    const found: Value[] = [];
    for (let end = path.lastIndexOf(sep); end > 0; end = path.lastIndexOf(sep, end - 1)) {
      this.#collect(path, end, found);
    }
    // `/` and `C:\` end with their separator, so they are looked up separately.
    const first = path.indexOf(sep);
    if (first >= 0 && path.length > first + 1) this.#collect(path, first + 1, found);
    return found;
  }

  #collect(path: string, end: number, found: Value[]): void {
    if (!this.#lengths.has(end)) return;
    const value = this.#byPath.get(path.slice(0, end));
    if (value !== undefined) found.push(value);
  }
}
