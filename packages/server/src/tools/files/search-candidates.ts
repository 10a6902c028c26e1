import { basename } from 'node:path';
import type { Scope } from '@rootward/core';
import { containsPath, hostPathStyle, RootwardError } from '@rootward/core';
import type { Matches } from './glob.js';

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
  for (const start of path === undefined ? startingPoints(scope) : [path]) {
    const { kind } = await scope.stat(start);
    if (kind === 'directory') yield* filesBelow(scope, start, options);
    else if (options.matches(basename(start))) yield scope.locate(start).path;
  }
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

/** Roots inside other roots are searched with those. Broad ones have to be named: a home directory takes minutes. */
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
  return narrow.filter(
    (path) => !narrow.some((other) => other !== path && containsPath(other, path, hostPathStyle)),
  );
}
