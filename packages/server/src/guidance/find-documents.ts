import { join } from 'node:path';
import { RootwardError, globMatcher, type Scope, type WalkEntry } from '@rootward/core';
import picomatch from 'picomatch';
import type { Category, Place } from './category.js';

/** One guidance document. */
export interface Document {
  readonly category: string;
  /** Relative to the folder of its category, with `/`. */
  readonly name: string;
  /** For asking the scope; it grants nothing. */
  readonly path: string;
}

export interface CategoryDocuments {
  readonly category: Category;
  readonly documents: readonly Document[];
  /** Why the documents of a folder cannot be read, as the code of the refusal. */
  readonly problem?: string;
  /** There are more than anyone reads, and they are left out. */
  readonly truncated: boolean;
}

const MAX_DOCUMENTS = 1000;
/** A name could forge lines of a listing. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}]/u;
/** A pattern over a whole repository must not turn a listing into a search of the disk. */
const MAX_ENTRIES = 20_000;

/**
 * Finds the documents of categories through the scope: what is denied, ignored by the repository or lies outside is
 * not found. `directory` is the project's; without one, folders are relative to the roots.
 */
export async function findDocuments(
  scope: Scope,
  directory: string | undefined,
  categories: readonly Category[],
  signal?: AbortSignal,
): Promise<readonly CategoryDocuments[]> {
  const taken = new Set<string>();
  const found: CategoryDocuments[] = [];
  for (const category of categories) {
    const search = new Search(scope, directory, category, category.from === 'convention' ? taken : new Set());
    for (const place of category.places) await search.look(place, signal);
    found.push(search.result());
  }
  return found;
}

/** The search for the documents of one category. */
class Search {
  readonly #scope: Scope;
  readonly #directory: string | undefined;
  readonly #category: Category;
  /** Canonical paths: a link to a document that is listed anyway would only repeat it. */
  readonly #taken: Set<string>;
  readonly #documents: Document[] = [];
  #problem: string | undefined;
  #truncated = false;

  constructor(scope: Scope, directory: string | undefined, category: Category, taken: Set<string>) {
    this.#scope = scope;
    this.#directory = directory;
    this.#category = category;
    this.#taken = taken;
  }

  async look(place: Place, signal: AbortSignal | undefined): Promise<void> {
    const matches = compilePatterns(place.patterns);
    const links: WalkEntry[] = [];
    let seen = 0;
    try {
      const entries = this.#scope.walk(this.#pathOf(place.dir), {
        gitignore: true,
        ...(place.maxDepth !== undefined && { maxDepth: place.maxDepth }),
        ...(signal !== undefined && { signal }),
      });
      for await (const entry of entries) {
        seen++;
        if (seen > MAX_ENTRIES) this.#truncated = true;
        if (this.#truncated) break;
        if (!matches(entry.relative) || UNPRINTABLE.test(entry.relative)) continue;
        if (entry.kind === 'file') this.#add(place, entry, entry.path);
        else if (entry.kind === 'link') links.push(entry);
      }
    } catch (error) {
      this.#note(error);
    }
    for (const link of links) await this.#follow(place, link);
  }

  result(): CategoryDocuments {
    const documents = this.#documents.sort((one, other) => compare(one.name, other.name));
    const result = { category: this.#category, documents, truncated: this.#truncated };
    return this.#problem === undefined ? result : { ...result, problem: this.#problem };
  }

  /** A link counts where it leads to a file in scope. */
  async #follow(place: Place, link: WalkEntry): Promise<void> {
    try {
      if ((await this.#scope.stat(link.path)).kind !== 'file') return;
      this.#add(place, link, this.#scope.locate(link.path).path);
    } catch (error) {
      if (!(error instanceof RootwardError)) throw error;
    }
  }

  #add(place: Place, { path, relative }: WalkEntry, canonical: string): void {
    if (this.#taken.has(canonical)) return;
    if (this.#documents.length === MAX_DOCUMENTS) {
      this.#truncated = true;
      return;
    }
    this.#taken.add(canonical);
    const { name: category, base } = this.#category;
    const inProject = place.dir === '' ? relative : `${place.dir}/${relative}`;
    const name = base === '' ? inProject : inProject.slice(base.length + 1);
    this.#documents.push({ category, name, path });
  }

  #pathOf(dir: string): string {
    if (this.#directory !== undefined) return join(this.#directory, dir);
    return dir === '' ? '.' : dir;
  }

  /** A missing folder is not an error: it has no documents. */
  #note(error: unknown): void {
    if (!(error instanceof RootwardError)) throw error;
    if (error.code === 'not-found' || error.code === 'not-a-directory') return;
    this.#problem ??= error.code.replaceAll('-', '_');
  }
}

/** Letter case is ignored: custom writes both `README.md` and `readme.md`. */
function compilePatterns(patterns: readonly string[]): (relative: string) => boolean {
  const globs = patterns.map((pattern) =>
    globMatcher(pattern.includes('/') ? pattern : `**/${pattern}`, (glob) =>
      picomatch(glob, { dot: true, nocase: true, nonegate: true, posix: true }),
    ),
  );
  return (relative) => globs.some((glob) => glob.matches(relative));
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
