import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Fence, FenceFolder } from '../../roots/fence.js';
import type { Root } from '../../roots/root.js';
import { childPath } from './child-path.js';
import { PathIndex } from './path-index.js';

/**
 * From which folder on rules files count. Those in the folders above a root count, too, up to the ceiling or, without
 * one, the top of the repository. So a narrower root does not escape a rule.
 */
export class RulesTops {
  readonly #ceiling: PathIndex<string>;
  /** Their rules files count for any narrower root that a client names. */
  readonly #others: PathIndex<string>;
  readonly #known = new Map<string, string>();

  constructor({ ceiling, named, hinted }: Fence) {
    this.#ceiling = indexOf(ceiling);
    this.#others = indexOf([...named, ...hinted]);
  }

  /** The topmost folder for what lies in all of these roots and in `folder`. */
  of(roots: readonly Root[], folder: string): string {
    let top = folder;
    for (const root of roots) {
      const own = this.#of(root);
      if (own.length < top.length) top = own;
    }
    return top;
  }

  #of({ path, kind }: Root): string {
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    const folder = kind === 'directory' ? path : dirname(path);
    const top = outermost(this.#ceiling, folder) ?? this.#withoutCeiling(folder);
    this.#known.set(path, top);
    return top;
  }

  #withoutCeiling(folder: string): string {
    const named = outermost(this.#others, folder) ?? folder;
    const repository = repositoryTop(folder);
    return named.length < repository.length ? named : repository;
  }
}

function indexOf(folders: readonly FenceFolder[]): PathIndex<string> {
  const index = new PathIndex<string>();
  for (const { path } of folders) index.set(path, path);
  return index;
}

function outermost(index: PathIndex<string>, folder: string): string | undefined {
  return index.above(folder).at(-1) ?? index.get(folder);
}

/** The outermost folder that holds a repository, so that a repository inside another has the rules of both. */
function repositoryTop(folder: string): string {
  let top = folder;
  for (let path = folder; ; path = dirname(path)) {
    if (existsSync(childPath(path, '.git'))) top = path;
    if (path === dirname(path)) return top;
  }
}
