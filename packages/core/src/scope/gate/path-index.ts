import { sep } from 'node:path';

/** Values by canonical path, found for what lies below in time that grows with its depth and not with their number. */
export class PathIndex<Value> {
  readonly #byPath = new Map<string, Value>();
  /** Lengths at which some path ends; other prefixes are skipped without a look-up. */
  readonly #lengths = new Set<number>();

  get size(): number {
    return this.#byPath.size;
  }

  keys(): Iterable<string> {
    return this.#byPath.keys();
  }

  get(path: string): Value | undefined {
    return this.#byPath.get(path);
  }

  set(path: string, value: Value): void {
    this.#byPath.set(path, value);
    this.#lengths.add(path.length);
  }

  /** The values of all folders above a path, deepest first. Compares whole components; it resolves nothing itself. */
  above(path: string): Value[] {
    const found: Value[] = [];
    for (let end = path.lastIndexOf(sep); end > 0; end = path.lastIndexOf(sep, end - 1)) {
      this.#collect(path, end, found);
    }
    // `/` and `C:\` keep their separator, so they are no prefix that ends before one.
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
