/** Shorter ones are in every file, so looking for them first saves nothing. */
const MIN_LENGTH = 2;
/** The start of a longer one tells nearly as much, and is found in bounded time. */
const MAX_LENGTH = 100;

const SYNTAX = new Set('\\^$.|?*+()[]{}');
const ESCAPED_SYNTAX = new Set('\\^$.|?*+()[]{}/-');

/**
 * The longest text that every match of a regular expression contains, or its start, as far as that is easy to see.
 * Undefined when in doubt. It says where a match is possible; whether there is one, only the expression itself says.
 */
export function requiredLiteral(pattern: string): string | undefined {
  const runs: string[] = [];
  let run = '';
  const endRun = (): void => {
    runs.push(run);
    run = '';
  };
  for (let at = 0; at < pattern.length;) {
    const { literal, end } = readAtom(pattern, at);
    if (end === undefined) return undefined;
    const quantifier = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/.exec(pattern.slice(end))?.[0];
    if (literal === undefined) endRun();
    else if (quantifier === undefined) run += literal;
    else {
      // Once at least is all that `+` promises; what follows may not follow at once.
      if (quantifier.startsWith('+')) run += literal;
      endRun();
    }
    at = end + (quantifier?.length ?? 0);
  }
  endRun();
  const longest = runs.reduce((best, one) => (one.length > best.length ? one : best), '');
  return longest.length < MIN_LENGTH ? undefined : Array.from(longest).slice(0, MAX_LENGTH).join('');
}

interface Atom {
  /** The character the atom stands for, where it stands for exactly one. */
  readonly literal?: string;
  /** Undefined where the expression is not understood. */
  readonly end: number | undefined;
}

function readAtom(pattern: string, at: number): Atom {
  const character = String.fromCodePoint(pattern.codePointAt(at) ?? 0);
  switch (character) {
    case '\\': {
      const escaped = pattern[at + 1];
      if (escaped === undefined) return { end: undefined };
      if (ESCAPED_SYNTAX.has(escaped)) return { literal: escaped, end: at + 2 };
      return { end: endOfEscape(pattern, at) };
    }
    case '[':
      return { end: endOfClass(pattern, at) };
    case '(':
      return { end: endOfGroup(pattern, at) };
    case '^':
    case '$':
    case '.':
      return { end: at + 1 };
    default:
      // An alternative outside of groups makes nothing required; the rest would be a syntax error or a plain brace.
      return SYNTAX.has(character) ? { end: undefined } : { literal: character, end: at + character.length };
  }
}

/** Escapes that stand for a class, a boundary or one character; those with arguments are too rare to read. */
function endOfEscape(pattern: string, at: number): number | undefined {
  return /^\\[bBdDsSwWtnrfv]/.test(pattern.slice(at, at + 2)) ? at + 2 : undefined;
}

function endOfClass(pattern: string, start: number): number | undefined {
  for (let at = start + 1; at < pattern.length; at++) {
    if (pattern[at] === '\\') at++;
    else if (pattern[at] === ']') return at + 1;
  }
  return undefined;
}

/** Groups are passed over as a whole: what is inside may be optional, repeated or only looked at. */
function endOfGroup(pattern: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < pattern.length; at++) {
    const character = pattern[at];
    if (character === '\\') at++;
    else if (character === '[') at = (endOfClass(pattern, at) ?? pattern.length) - 1;
    else if (character === '(') depth++;
    else if (character === ')') {
      depth--;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}
