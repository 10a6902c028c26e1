import { findWord, type Place } from '../../documents/find-word.js';

/**
 * Whether a word may be defined in a source of C or C++: a body comes before the next semicolon, and no bracket that
 * opened earlier closes in between, as in `if (word()) {`. Pure. Takes code without comments and strings.
 */
export function mayDefine(code: string, word: string): boolean {
  const starts = lineStarts(code);
  return findWord(code, word).some(({ line, character }) => {
    const start = (starts[line] ?? 0) + character + word.length;
    return hasBody(code, start);
  });
}

/** Whether what is declared at a place is known in its own file only. Pure. */
export function isStatic(code: string, { line, character }: Place): boolean {
  const before = code.slice(0, (lineStarts(code)[line] ?? 0) + character);
  const declared = before.slice(Math.max(before.lastIndexOf(';'), before.lastIndexOf('}')) + 1);
  return /\bstatic\b/.test(declared);
}

function hasBody(code: string, start: number): boolean {
  let depth = 0;
  for (let at = start; at < code.length; at += 1) {
    const character = code[at];
    if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
    else if (character === '{') return depth === 0;
    if (depth < 0 || character === ';' || character === '}') return false;
  }
  return false;
}

function lineStarts(text: string): readonly number[] {
  return [0, ...[...text.matchAll(/\r\n|\n|\r/g)].map(({ index, 0: end }) => index + end.length)];
}
