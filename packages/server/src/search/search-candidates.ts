import { basename, dirname } from 'node:path';
import { RootwardError, type Scope } from '@rootward/core';
import type { Matches } from './glob.js';

const WITHOUT_FILES: ReadonlySet<string> = new Set(['not-found', 'denied']);

export interface CandidateOptions {
  readonly matches: Matches;
  readonly gitignore: boolean;
  readonly signal: AbortSignal;
}

/** The files to search below a path, or a single file; without a path, those of all roots. */
export async function* searchCandidates(
  scope: Scope,
  path: string | undefined,
  options: CandidateOptions,
): AsyncGenerator<string, void> {
  if (path !== undefined) {
    yield* filesAt(scope, path, options);
    return;
  }
  const starts = startingPoints(scope);
  // What an outer root leaves out, such as by its .gitignore, a root inside it may still have.
  const overlap = overlaps(starts);
  const seen = new Set<string>();
  for (const start of starts) {
    for await (const file of filesOfRoot(scope, start, options)) {
      if (seen.has(file)) continue;
      if (overlap) seen.add(file);
      yield file;
    }
  }
}

/** A root that is gone since it was named, or denied, has no files; the others still do. */
async function* filesOfRoot(
  scope: Scope,
  root: string,
  options: CandidateOptions,
): AsyncGenerator<string, void> {
  try {
    yield* filesAt(scope, root, options);
  } catch (error) {
    if (!(error instanceof RootwardError) || !WITHOUT_FILES.has(error.code)) throw error;
  }
}

async function* filesAt(
  scope: Scope,
  start: string,
  options: CandidateOptions,
): AsyncGenerator<string, void> {
  const { kind } = await scope.stat(start);
  if (kind === 'directory') yield* filesBelow(scope, start, options);
  else if (options.matches(basename(start))) yield scope.locate(start).path;
}

async function* filesBelow(
  scope: Scope,
  start: string,
  { matches, gitignore, signal }: CandidateOptions,
): AsyncGenerator<string, void> {
  for await (const { kind, relative, path } of scope.walk(start, { gitignore, signal })) {
    if (kind === 'file' && matches(relative)) yield path;
  }
}

/** Broad ones have to be named: a home directory takes minutes. */
function startingPoints({ roots }: Scope): readonly string[] {
  const narrow = roots.filter(({ broad }) => !broad).map(({ path }) => path);
  if (roots.length === 0) {
    throw new RootwardError('no-roots', 'Cannot search: there are no roots, so no path is in scope');
  }
  if (narrow.length === 0) {
    throw new RootwardError(
      'invalid-option',
      'Cannot search everywhere: the only root is a home directory or wider',
      { instruction: 'Pass the path of the directory to search' },
    );
  }
  return narrow;
}

/** Whether a root lies inside another. */
function overlaps(roots: readonly string[]): boolean {
  const all = new Set(roots);
  const isInside = (path: string): boolean => {
    const above = dirname(path);
    return above !== path && (all.has(above) || isInside(above));
  };
  return roots.some(isInside);
}
