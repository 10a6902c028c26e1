import picomatch from 'picomatch';
import { RootwardError } from '../../error.js';
import { globCost } from '../glob/cost.js';
import { globMatcher, type GlobMatcher } from '../glob/matcher.js';
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
  [/^\s|\s$/, 'it has a blank before or after it; write [ ] where a name really has one'],
  [/^~(?:\/|$)/, 'patterns are relative to the roots; use denyAbsolute for a path in the home directory'],
  [SYSTEM_FOLDER, 'it looks absolute; write it without the first slash, or use denyAbsolute'],
  [/^[a-z]:[\\/]/i, 'it is absolute; use denyAbsolute'],
  [/\\(?![*?[\]{}()!+@|,\\])/, 'folders are separated by "/", also on Windows'],
  [/(?<!\\)\{[^{},]*(?<!\\)\}/, 'braces with one branch stand for themselves; leave them out'],
];

/** A pattern that silently matches nothing would look like protection, so a doubtful one is an error. */
function bare(text: string): string {
  if (text.startsWith('!')) throw unusable(text, 'a denial cannot be taken back by another pattern');
  const mistake = MATCHES_NOTHING.find(([pattern]) => pattern.test(text));
  if (mistake !== undefined) throw unusable(text, mistake[1]);
  const glob = text.replace(/\/$/, '').replace(/^\.?\//, '');
  const names = glob.split('/');
  if (names.some((name) => name === '' || name === '.' || name === '..')) {
    throw unusable(text, 'it has an empty name, "." or ".." in it');
  }
  if (!isBalanced(glob)) throw unusable(text, 'a bracket is not closed');
  const cost = globCost(glob);
  if (cost !== undefined) throw unusable(text, cost);
  return glob;
}

/** A denied folder denies all that is in it, so a path is tested together with every folder above it. */
export function compileDenies(patterns: readonly string[]): DenyMatcher {
  if (patterns.length === 0) return NOTHING;
  const names: Pattern[] = [];
  const paths: Pattern[] = [];
  for (const text of patterns) {
    const glob = bare(text);
    // A leading slash is enough to tie a name to the root.
    const anchored = glob.includes('/') || text.startsWith('/');
    (anchored ? paths : names).push(compile(text, glob));
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
