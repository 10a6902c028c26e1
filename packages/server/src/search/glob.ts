import { globCost, globMatcher, RootwardError } from '@rootward/core';
import picomatch from 'picomatch';

/** Whether a path, relative and with `/`, matches. */
export type Matches = (relative: string) => boolean;

/** `posix`: without it `[!a]` is an exclamation mark or an `a`. */
const OPTIONS: picomatch.PicomatchOptions = { dot: true, strictSlashes: true, posix: true };
/** Far longer than any glob a person writes; the cost of compiling one grows faster than its length. */
const MAX_LENGTH = 1000;
/** As many as a workspace may deny. Far more take minutes to compile. */
const MAX_EXCLUDES = 1000;

/** A glob over whole relative paths, dot files included: `*.ts` matches at the top only, `**\/*.ts` anywhere. */
export function compileGlob(pattern: string): Matches {
  const state = faultOf(pattern);
  if (state !== undefined) {
    throw new RootwardError(
      'invalid-option',
      `Cannot use the glob ${JSON.stringify(pattern.slice(0, 50))}: ${state}`,
      {
        instruction: 'Pass a glob such as "**/*.ts"',
      },
    );
  }
  // One separator is as good as two: `node_modules/` with all below it becomes `node_modules//**`.
  const single = pattern.replaceAll(/\/{2,}/g, '/');
  const matcher = globMatcher(single, (glob) => picomatch(glob, OPTIONS));
  return (relative) => matcher.matches(relative);
}

function faultOf(pattern: string): string | undefined {
  if (pattern === '') return 'it is empty';
  return pattern.length > MAX_LENGTH ? `it is longer than ${MAX_LENGTH} characters` : globCost(pattern);
}

/** A glob as in a list of files to search: without a slash it matches a name at any depth. */
export function compileNameGlob(pattern: string): Matches {
  return compileGlob(pattern === '' || pattern.includes('/') ? pattern : `**/${pattern}`);
}

/** What a list of excluding globs leaves out. */
export function compileExcludes(patterns: readonly string[]): Matches {
  return compileEach(patterns, (pattern) => [pattern]);
}

function compileEach(patterns: readonly string[], globsOf: (pattern: string) => readonly string[]): Matches {
  if (patterns.length > MAX_EXCLUDES) {
    throw new RootwardError('invalid-option', `Cannot exclude ${patterns.length} globs at once`, {
      instruction: `Pass at most ${MAX_EXCLUDES}`,
    });
  }
  const excludes = patterns.flatMap(globsOf).map(compileGlob);
  return (relative) => excludes.some((matches) => matches(relative));
}

/** The same for trees, where a pattern without a `*` is a name or path at any depth, as in the reference server. */
export function compileTreeExcludes(patterns: readonly string[]): Matches {
  return compileEach(patterns, (pattern) =>
    pattern.includes('*') ? [pattern] : [pattern, `**/${pattern}`, `**/${pattern}/**`],
  );
}
