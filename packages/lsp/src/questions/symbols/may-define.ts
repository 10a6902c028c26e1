import { findWord, lineStart, type Place } from '../../documents/find-word.js';

const TYPE_KEYWORD = /\b(?:struct|union|class|enum)\s+$/;
/** Braces around declarations that do not make them local. A string, as in `extern "C"`, is blank here. */
const OPEN_SCOPE = /\b(?:namespace|extern)\b/;
/** Characters looked at behind the name of an array, and for blanks at an end of a line. */
const MAX_DIMENSIONS = 400;
const MAX_INDENT = 80;

/**
 * Whether a source of C or C++ may define a word: a body follows it, it is a variable outside of functions, or a macro
 * may give its name to something. Pure. Takes code without comments and strings.
 */
export function mayDefine(code: string, word: string): boolean {
  const offsets = offsetsOf(code, word);
  if (offsets.some((at) => hasBody(code, at + word.length))) return true;
  if (offsets.some((at) => isAlias(code, at, word))) return true;
  return areAnyOutside(
    code,
    offsets.filter((at) => isArgument(code, at) || mayBeVariable(code, at, word)),
  );
}

/** Whether a body follows the word somewhere. Pure. Takes code without comments and strings. */
export function definesWithBody(code: string, word: string): boolean {
  return offsetsOf(code, word).some((at) => hasBody(code, at + word.length));
}

/**
 * Where a macro may give this name to what a source defines: it stands for the name in what is included after it, or is
 * called with it outside of functions. Pure. Takes code without comments and strings.
 */
export function namedByMacro(code: string, word: string): Place | undefined {
  const starts = lineStarts(code);
  return findWord(code, word).find(({ line, character }) => {
    const at = (starts[line] ?? 0) + character;
    return isAlias(code, at, word) || (isArgument(code, at) && areAnyOutside(code, [at]));
  });
}

/**
 * Whether what stands at a place only declares a name that may be defined elsewhere. Pure. Takes code without comments
 * and strings. `inType`: it is a member of a class.
 */
export function isOnlyDeclared(code: string, place: Place, word: string, inType: boolean): boolean {
  const at = offsetOf(code, place);
  if (isDirective(code, at)) return false;
  const before = statementBefore(code, at);
  const after = code.slice(at + word.length);
  if (TYPE_KEYWORD.test(before)) return !/^\s*(?:final\s*)?[:{]/.test(after);
  if (isCalled(code, at, word)) {
    const rest = after.slice(0, Math.max(0, after.indexOf(';')));
    return !hasBody(code, at + word.length) && !/=\s*(?:0|default|delete)\s*$/.test(rest);
  }
  if (/^[^;]*=/.test(after)) return false;
  const isShared = inType && /\bstatic\b/.test(before) && !/\b(?:inline|constexpr)\b/.test(before);
  return isShared || /\bextern\b/.test(before);
}

/** Whether a place defines a type alias or a macro, which nothing but that place can do. Pure. */
export function isNeverElsewhere(code: string, place: Place): boolean {
  const at = offsetOf(code, place);
  if (isDirective(code, at)) return /^\s*#\s*define\s+$/.test(lineBefore(code, at));
  return /\btypedef\b/.test(statementBefore(code, at));
}

/** Whether what is declared at a place is known in its own file only. Pure. */
export function isStatic(code: string, place: Place): boolean {
  return /\bstatic\b/.test(statementBefore(code, offsetOf(code, place)));
}

/** A body comes before the next semicolon, and no bracket that opened earlier closes in between, as in `if (word()) {`. */
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

/** As in `#define other word`, with something included after that. */
function isAlias(code: string, at: number, word: string): boolean {
  if (!/^\s*#\s*define\s+\w+\s+$/.test(lineBefore(code, at))) return false;
  const rest = code.slice(at + word.length);
  return /^[^\S\n]*\n/.test(rest) && /^[^\S\n]*#[^\S\n]*include\b/m.test(rest);
}

/** As in `DEFINE(word)`, with nothing before that. */
function isArgument(code: string, at: number): boolean {
  return !isDirective(code, at) && /^\s*\w+\s*\([^()]*$/.test(statementBefore(code, at));
}

function mayBeVariable(code: string, at: number, word: string): boolean {
  const after = code.slice(at + word.length, at + word.length + MAX_DIMENSIONS);
  if (!/^\s*(?:\[[^\]]*\]\s*)*(?:=(?!=)|[;,])/.test(after)) return false;
  const before = statementBefore(code, at);
  if (before.trim() === '' || /\b(?:extern|typedef)\b|\([^)]*$/.test(before)) return false;
  return !/^\s*(?:struct|union|class|enum)\s*$/.test(before);
}

/** Whether one of some places is in no body, apart from those of namespaces. The places are in order. */
function areAnyOutside(code: string, places: readonly number[]): boolean {
  const last = places.at(-1) ?? -1;
  const left = [...places];
  const open: boolean[] = [];
  let isSkipped = false;
  for (let at = 0; at <= last; at += 1) {
    const isFirst = at === 0 || code[at - 1] === '\n';
    if (isFirst) {
      const isContinued: boolean = isSkipped && /\\\r?\n$/.test(code.slice(Math.max(0, at - 3), at));
      isSkipped = isContinued || /^[^\S\n]*#/.test(code.slice(at, at + MAX_INDENT));
    }
    if (at === left[0]) {
      if (!open.includes(false)) return true;
      left.shift();
    }
    if (isSkipped) continue;
    if (code[at] === '{') open.push(OPEN_SCOPE.test(statementBefore(code, at)));
    if (code[at] !== '}') continue;
    const wasOpen = open.pop();
    // Branches for the preprocessor may open more than they close; one at the start of a line closes all.
    if (isFirst && wasOpen === false) while (open.at(-1) === false) open.pop();
  }
  return false;
}

function isCalled(code: string, at: number, word: string): boolean {
  return /^\s*\(/.test(code.slice(at + word.length));
}

function isDirective(code: string, at: number): boolean {
  return /^\s*#/.test(lineBefore(code, at));
}

/** What stands before a place since the last statement or brace, without the lines of the preprocessor. */
function statementBefore(code: string, at: number): string {
  let start = at;
  while (start > 0 && !';{}'.includes(code[start - 1] ?? '')) start -= 1;
  return code.slice(start, at).replace(/^[^\S\n]*#.*$/gm, '');
}

function offsetsOf(code: string, word: string): readonly number[] {
  const places = code.includes(word) ? findWord(code, word) : [];
  if (places.length === 0) return [];
  const starts = lineStarts(code);
  return places.map(({ line, character }) => (starts[line] ?? 0) + character);
}

function lineBefore(code: string, at: number): string {
  return code.slice(code.lastIndexOf('\n', at - 1) + 1, at);
}

function offsetOf(code: string, { line, character }: Place): number {
  return lineStart(code, line) + character;
}

function lineStarts(text: string): readonly number[] {
  return [0, ...[...text.matchAll(/\r\n|\n|\r/g)].map(({ index, 0: end }) => index + end.length)];
}
