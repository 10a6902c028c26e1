import { dirname } from 'node:path';
import type { Scope } from '../scope/scope.js';

/** How far `findNestedRepositories` looks. */
export interface NestedRepositoriesOptions {
  /** How many entries are looked at before the search is given up. */
  readonly budget?: number;
  readonly signal?: AbortSignal;
}

/** What `findNestedRepositories` found. */
export interface NestedRepositories {
  /** Tops of working trees below the directory, sorted. */
  readonly paths: readonly string[];
  /** False when the budget ended the search: there may be more. */
  readonly complete: boolean;
  /** How many entries were looked at. */
  readonly seen: number;
}

/** Enough for the folders of a large repository, and takes about ten milliseconds. */
const DEFAULT_BUDGET = 5000;
/** Enough for `root/group/repository/.git`, plus one. */
const MAX_DEPTH = 4;
const MARKER = '.git';
/** They contain many folders, and nobody works on repositories inside them. */
const SKIPPED: ReadonlySet<string> = new Set(['node_modules', '.venv', 'target', 'vendor']);

/**
 * Repositories inside a directory: clones, submodules and worktrees. Read through the scope, so denied paths are not
 * found. Says that a `.git` exists, not that it is valid.
 */
export async function findNestedRepositories(
  scope: Scope,
  directory: string,
  { budget = DEFAULT_BUDGET, signal }: NestedRepositoriesOptions = {},
): Promise<NestedRepositories> {
  const paths: string[] = [];
  let seen = 0;
  const entries = scope.walk(directory, {
    maxDepth: MAX_DEPTH,
    // What is inside `.git` is data; the `.git` itself was reported one level above.
    filter: ({ relative, name }) => !SKIPPED.has(name) && !isBelowMarker(relative),
    ...(signal !== undefined && { signal }),
  });
  for await (const { name, kind, depth, path } of entries) {
    seen++;
    if (seen > budget) return { paths: paths.sort(), complete: false, seen: budget };
    if (name === MARKER && depth > 1 && (kind === 'directory' || kind === 'file')) paths.push(dirname(path));
  }
  return { paths: paths.sort(), complete: true, seen };
}

function isBelowMarker(relative: string): boolean {
  return relative.split('/').slice(0, -1).includes(MARKER);
}
