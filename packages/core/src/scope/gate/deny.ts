import picomatch from 'picomatch';
import { RootwardError } from '../../error.js';
import { globCost } from '../glob/cost.js';
import { globMatcher, type GlobMatcher } from '../glob/matcher.js';
import { witnessesOf } from '../glob/witness.js';
import { CASE_INSENSITIVE } from './letter-case.js';

export interface DenyMatcher {
  /** The pattern that denies this path (relative to the root, with `/`), if any. */
  match(relative: string): string | undefined;
}

const GLOB_CHARACTERS = /[*?[\]{}()!+@\\]/;
/** On its fast path, picomatch reads the second one as the end or the start of the name, and nothing matches. */
const DOUBLED = /\$\$|\^\^/;
/** A bracket right after a negation is part of the class, so `[!]` is still open. */
const OPEN_CLASS = /(?<!\\)\[[!^]\]/;
const OPTIONS: picomatch.PicomatchOptions = {
  dot: true,
  nonegate: true,
  // Without it, `[!a]` means an exclamation mark or an `a`, and the wrong names are denied.
  posix: true,
  // `s`: without it `**` does not cross a folder whose name contains a line break, and its contents are not denied.
  flags: CASE_INSENSITIVE ? 'is' : 's',
  // Throws on a glob that makes no valid expression, such as `[z-a]`, which would otherwise silently match nothing.
  debug: true,
};
/** Folders at the top of a disk that a project usually does not have. */
const SYSTEM_FOLDER =
  /^\/(?:home|root|Users|etc|usr|var|tmp|opt|mnt|media|srv|private|Volumes|nix|proc|sys|dev|boot|run)\//;
/** Without one of these, a glob has names and stars, and always matches something. */
const GROUP_OR_CLASS = /[[\]{}()|"\\+$^]/;
const NOTHING: DenyMatcher = { match: () => undefined };

interface Pattern {
  readonly text: string;
  readonly matcher: GlobMatcher;
}

function compile(text: string, glob: string): Pattern {
  const isPlain = !GLOB_CHARACTERS.test(glob) && !CASE_INSENSITIVE;
  try {
    const matcher = globMatcher(glob, (each) =>
      isPlain ? (path) => path === each : picomatch(each, { ...OPTIONS, fastpaths: !DOUBLED.test(each) }),
    );
    return { text, matcher };
  } catch (error) {
    throw unusable(text, 'it is not a valid glob', error);
  }
}

function unusable(text: string, state: string, cause?: unknown): RootwardError {
  const message = `Cannot read the deny pattern ${JSON.stringify(text)}: ${state}`;
  return new RootwardError('invalid-option', message, { cause });
}

function isBalanced(glob: string): boolean {
  if (OPEN_CLASS.test(glob)) return false;
  const count = (character: string): number => glob.split(character).length;
  return count('[') === count(']') && count('{') === count('}');
}

/** All patterns are relative to a root, so these cannot match what they were most likely meant to match. */
const MATCHES_NOTHING: readonly (readonly [RegExp, string])[] = [
  [/\p{Cc}/u, 'it has a control character; write ? where a name really has one'],
  [/\\(?![*?[\]{}()!+@|,\\])/, 'folders are separated by "/", also on Windows'],
  [/\{(?:[^{}]*,)?\s|\s(?:,[^{}]*)?\}/, 'an alternative has a blank before or after it; write [ ] for one'],
  [/(?<!\\)\{[^{},]*(?<!\\)\}/, 'braces with one branch stand for themselves; leave them out'],
];
/** The same for each alternative of a pattern. */
const ALTERNATIVE_MATCHES_NOTHING: typeof MATCHES_NOTHING = [
  [
    /^[\s\p{Cf}]|[\s\p{Cf}]$|[\s\p{Cf}]\/|\/[\s\p{Cf}]/u,
    'it has a blank or an invisible character before or after it, or around a slash; write [ ] where a name really has one',
  ],
  [/^~(?:\/|$)/, 'patterns are relative to the roots; use denyAbsolute for a path in the home directory'],
  [SYSTEM_FOLDER, 'it looks absolute; write it without the first slash, or use denyAbsolute'],
  [/^[a-z]:[\\/]/i, 'it is absolute; use denyAbsolute'],
];
/** To check more would hold up everything else: a workspace may bring a file of patterns. */
const MAX_ALTERNATIVES = 20_000;

/** A pattern that silently matches nothing would look like protection, so a doubtful one is an error. */
function bare(text: string): string {
  if (text.startsWith('!')) throw unusable(text, 'a denial cannot be taken back by another pattern');
  refuseMistakes(text, text, MATCHES_NOTHING);
  refuseMistakes(text, text, ALTERNATIVE_MATCHES_NOTHING);
  const glob = text.replace(/\/$/, '').replace(/^\.?\//, '');
  refuseNames(text, glob);
  if (!isBalanced(glob)) throw unusable(text, 'a bracket is not closed');
  const cost = globCost(glob);
  if (cost !== undefined) throw unusable(text, cost);
  return glob;
}

function refuseMistakes(text: string, part: string, mistakes: typeof MATCHES_NOTHING): void {
  const mistake = mistakes.find(([pattern]) => pattern.test(part));
  if (mistake !== undefined) throw unusable(text, mistake[1]);
}

function refuseNames(text: string, glob: string): void {
  if (glob.split('/').some((name) => name === '' || name === '.' || name === '..')) {
    throw unusable(text, 'it has an empty name, "." or ".." in it');
  }
}

/** Refuses a pattern with an alternative that matches no path. Returns how many alternatives there are. */
function requireMatches(text: string, glob: string, matches: (path: string) => boolean): number {
  const witnesses = witnessesOf(glob, (each, character) => picomatch(each, OPTIONS)(character));
  for (const { alternative, paths } of witnesses) {
    // An alternative that is left out, as in `{a,}`.
    if (witnesses.length > 1 && /^$|\/$/.test(alternative)) continue;
    refuseMistakes(text, alternative, ALTERNATIVE_MATCHES_NOTHING);
    refuseNames(text, alternative);
    if (paths.some(matches)) continue;
    const which = witnesses.length > 1 ? JSON.stringify(alternative) : 'it';
    throw unusable(text, `${which} can match nothing`);
  }
  return witnesses.length;
}

/** A denied folder denies all that is in it, so a path is tested together with every folder above it. */
export function compileDenies(patterns: readonly string[]): DenyMatcher {
  if (patterns.length === 0) return NOTHING;
  const names: Pattern[] = [];
  const paths: Pattern[] = [];
  let alternatives = 0;
  for (const text of patterns) {
    const glob = bare(text);
    // A leading slash is enough to tie a name to the root.
    const anchored = glob.includes('/') || text.startsWith('/');
    const pattern = compile(text, glob);
    (anchored ? paths : names).push(pattern);
    if (!GROUP_OR_CLASS.test(glob)) continue;
    alternatives += requireMatches(text, glob, (path) => pattern.matcher.matches(path));
    if (alternatives > MAX_ALTERNATIVES) throw unusable(text, 'the list has too many alternatives');
  }
  return {
    match(relative) {
      let start = 0;
      while (start < relative.length) {
        const slash = relative.indexOf('/', start);
        const end = slash < 0 ? relative.length : slash;
        const name = relative.slice(start, end);
        for (const pattern of names) if (pattern.matcher.matches(name)) return pattern.text;
        start = end + 1;
      }
      if (relative === '') return undefined;
      return paths.find(({ matcher }) => matcher.matchesOrAbove(relative))?.text;
    },
  };
}
