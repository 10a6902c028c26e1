/** Where a value stands in a text: from `start` up to, not including, `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Deeper nesting is no message; the limit keeps a hostile line from overflowing the stack. */
const MAX_DEPTH = 512;

const CODE = {
  quote: 0x22,
  backslash: 0x5c,
  openBrace: 0x7b,
  closeBrace: 0x7d,
  openBracket: 0x5b,
  closeBracket: 0x5d,
  comma: 0x2c,
  colon: 0x3a,
} as const;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const LITERAL = /true|false|null/y;
const UNICODE_ESCAPE = /^[0-9a-fA-F]{4}$/;
const SHORT_ESCAPES: ReadonlySet<number> = new Set(Buffer.from('"\\/bfnrt'));
const FIRST_PRINTABLE = 0x20;
const LOWER_U = 0x75;

/**
 * The members of the JSON object that `text` holds, as spans of their values; undefined unless the whole text is one
 * valid object without a member named twice. Accepts what `JSON.parse` accepts and builds nothing, so that a message of
 * megabytes costs a look at its bytes. `text` may be bytes read as latin1: all that counts here is ASCII.
 */
export function scanObject(
  text: string,
  start = 0,
  end: number = text.length,
): ReadonlyMap<string, Span> | undefined {
  const scanner = new Scanner(text, end);
  const members = scanner.members(start);
  return members !== undefined && scanner.endsAt(scanner.at) ? members : undefined;
}

/** The spans of the elements of the JSON list that `text` holds; undefined unless it is one. */
export function scanArray(text: string, start = 0, end: number = text.length): readonly Span[] | undefined {
  const scanner = new Scanner(text, end);
  const elements = scanner.elements(start);
  return elements !== undefined && scanner.endsAt(scanner.at) ? elements : undefined;
}

class Scanner {
  readonly #text: string;
  readonly #end: number;
  at = 0;

  constructor(text: string, end: number) {
    this.#text = text;
    this.#end = end;
  }

  endsAt(at: number): boolean {
    return this.#skipBlanks(at) === this.#end;
  }

  members(start: number): ReadonlyMap<string, Span> | undefined {
    const found = new Map<string, Span>();
    const text = this.#text;
    let at = this.#skipBlanks(start);
    if (at >= this.#end || text.charCodeAt(at) !== CODE.openBrace) return undefined;
    at = this.#skipBlanks(at + 1);
    if (text.charCodeAt(at) === CODE.closeBrace && at < this.#end) {
      this.at = at + 1;
      return found;
    }
    for (;;) {
      const keyEnd = this.#string(at);
      if (keyEnd === -1) return undefined;
      const name = keyOf(text.slice(at + 1, keyEnd - 1));
      at = this.#skipBlanks(keyEnd);
      if (text.charCodeAt(at) !== CODE.colon) return undefined;
      const valueStart = this.#skipBlanks(at + 1);
      const valueEnd = this.#value(valueStart, 1);
      if (valueEnd === -1 || found.has(name)) return undefined;
      found.set(name, { start: valueStart, end: valueEnd });
      at = this.#skipBlanks(valueEnd);
      const next = at < this.#end ? text.charCodeAt(at) : -1;
      if (next === CODE.closeBrace) {
        this.at = at + 1;
        return found;
      }
      if (next !== CODE.comma) return undefined;
      at = this.#skipBlanks(at + 1);
    }
  }

  elements(start: number): readonly Span[] | undefined {
    const found: Span[] = [];
    const text = this.#text;
    let at = this.#skipBlanks(start);
    if (at >= this.#end || text.charCodeAt(at) !== CODE.openBracket) return undefined;
    at = this.#skipBlanks(at + 1);
    if (at < this.#end && text.charCodeAt(at) === CODE.closeBracket) {
      this.at = at + 1;
      return found;
    }
    for (;;) {
      const valueEnd = this.#value(at, 1);
      if (valueEnd === -1) return undefined;
      found.push({ start: at, end: valueEnd });
      at = this.#skipBlanks(valueEnd);
      const next = at < this.#end ? text.charCodeAt(at) : -1;
      if (next === CODE.closeBracket) {
        this.at = at + 1;
        return found;
      }
      if (next !== CODE.comma) return undefined;
      at = this.#skipBlanks(at + 1);
    }
  }

  /** The end of the value that starts at `at`, or -1. */
  #value(at: number, depth: number): number {
    if (at >= this.#end || depth > MAX_DEPTH) return -1;
    const code = this.#text.charCodeAt(at);
    switch (code) {
      case CODE.quote:
        return this.#string(at);
      case CODE.openBrace:
        return this.#container(at, depth, CODE.closeBrace);
      case CODE.openBracket:
        return this.#container(at, depth, CODE.closeBracket);
      default:
        return this.#word(at, code === 0x74 || code === 0x66 || code === 0x6e ? LITERAL : NUMBER);
    }
  }

  #container(start: number, depth: number, close: number): number {
    const text = this.#text;
    const isObject = close === CODE.closeBrace;
    let at = this.#skipBlanks(start + 1);
    if (at < this.#end && text.charCodeAt(at) === close) return at + 1;
    for (;;) {
      if (isObject) {
        const keyEnd = this.#string(at);
        if (keyEnd === -1) return -1;
        at = this.#skipBlanks(keyEnd);
        if (at >= this.#end || text.charCodeAt(at) !== CODE.colon) return -1;
        at = this.#skipBlanks(at + 1);
      }
      const valueEnd = this.#value(at, depth + 1);
      if (valueEnd === -1) return -1;
      at = this.#skipBlanks(valueEnd);
      const next = at < this.#end ? text.charCodeAt(at) : -1;
      if (next === close) return at + 1;
      if (next !== CODE.comma) return -1;
      at = this.#skipBlanks(at + 1);
    }
  }

  #word(at: number, pattern: RegExp): number {
    pattern.lastIndex = at;
    return pattern.test(this.#text) && pattern.lastIndex <= this.#end ? pattern.lastIndex : -1;
  }

  /** The end of the string that starts at `start`, after its closing quote, or -1. */
  #string(start: number): number {
    const text = this.#text;
    const end = this.#end;
    if (start >= end || text.charCodeAt(start) !== CODE.quote) return -1;
    // Character by character: searching for the next quote or backslash costs more in a text with many line ends.
    let at = start + 1;
    while (at < end) {
      const code = text.charCodeAt(at);
      if (code === CODE.quote) return at + 1;
      if (code < FIRST_PRINTABLE) return -1;
      if (code === CODE.backslash) {
        const length = escapeLength(text, at);
        if (length === 0) return -1;
        at += length;
      } else at += 1;
    }
    return -1;
  }

  #skipBlanks(at: number): number {
    const text = this.#text;
    let next = at;
    while (next < this.#end) {
      const code = text.charCodeAt(next);
      if (code !== 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d) break;
      next += 1;
    }
    return next;
  }
}

/** 0 where it is none. */
function escapeLength(text: string, at: number): number {
  const code = text.charCodeAt(at + 1);
  if (code === LOWER_U) return UNICODE_ESCAPE.test(text.slice(at + 2, at + 6)) ? 6 : 0;
  return SHORT_ESCAPES.has(code) ? 2 : 0;
}

/** A member may spell its name with escapes, and is the same member. */
function keyOf(raw: string): string {
  return raw.includes('\\') ? String(JSON.parse(`"${raw}"`)) : raw;
}
