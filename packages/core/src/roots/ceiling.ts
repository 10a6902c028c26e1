import type { PathStyle } from '../uri/path-style.js';
import { asPrefix, isWithinAny } from '../uri/contains-path.js';
import type { Root } from './root.js';

/**
 * Canonical directories that no root may go beyond. A root is cut to them without looking at each one: a client may
 * name thousands of roots, and a ceiling may have thousands of directories.
 */
export class Ceiling {
  readonly #directories: ReadonlySet<string>;
  readonly #style: PathStyle;
  /**
   * Sorted by path, so that all paths below a directory follow each other, with their places in the ceiling. Only wide
   * roots need it.
   */
  #sorted: readonly (readonly [directory: string, place: number])[] | undefined;

  constructor(directories: readonly string[], style: PathStyle) {
    this.#directories = new Set(directories);
    this.#style = style;
  }

  /**
   * The canonical paths that are left of a root under the ceiling: itself when it lies inside, the ceiling directories
   * it contains when it is wider, none when it lies beside. An empty ceiling leaves nothing. Purely lexical: the root
   * and the ceiling must be canonical already.
   */
  cut({ path, kind }: Pick<Root, 'path' | 'kind'>): readonly string[] {
    if (isWithinAny(this.#directories, path, this.#style)) return [path];
    return kind === 'file' ? [] : this.#below(path);
  }

  #below(path: string): readonly string[] {
    this.#sorted ??= [...this.#directories]
      .map((directory, place) => [directory, place] as const)
      .sort(([one], [other]) => (one < other ? -1 : 1));
    const prefix = asPrefix(path, this.#style);
    const start = firstFrom(this.#sorted, prefix);
    let end = start;
    while (this.#sorted[end]?.[0].startsWith(prefix) === true) end++;
    return this.#sorted
      .slice(start, end)
      .sort(([, one], [, other]) => one - other)
      .map(([directory]) => directory);
  }
}

/** The position of the first text that does not sort before `text`. */
function firstFrom(sorted: readonly (readonly [text: string, place: number])[], text: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((sorted[middle]?.[0] ?? text) < text) low = middle + 1;
    else high = middle;
  }
  return low;
}
