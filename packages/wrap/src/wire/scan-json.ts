/** What JSON is made of, as bytes of UTF-8 or latin1. */
export const CODE = {
  quote: 0x22,
  backslash: 0x5c,
  openBrace: 0x7b,
  closeBrace: 0x7d,
  openBracket: 0x5b,
  closeBracket: 0x5d,
  comma: 0x2c,
  colon: 0x3a,
  minus: 0x2d,
  lowerU: 0x75,
} as const;
const FIRST_PRINTABLE = 0x20;
/** After `\u`. */
const HEX_DIGITS = 4;
/** Deeper nesting is no message; the limit keeps a hostile line from overflowing the stack. */
const MAX_DEPTH = 512;

/** Tables, since almost all bytes are in strings. 0: stands for itself. */
const ENDS = 1;
const ESCAPES = 2;
const KINDS = Uint8Array.from({ length: 256 }, (_, code) =>
  code === CODE.backslash ? ESCAPES : code === CODE.quote || code < FIRST_PRINTABLE ? ENDS : 0,
);
const SHORT_ESCAPES = Buffer.from('"\\/bfnrt');
const IS_SHORT_ESCAPE = Uint8Array.from({ length: 256 }, (_, code) => (SHORT_ESCAPES.includes(code) ? 1 : 0));

/** Where a value stands in a text: from `start` up to, not including, `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const LITERALS: ReadonlyMap<number, Buffer> = new Map(
  ['true', 'false', 'null'].map((word) => [word.charCodeAt(0), Buffer.from(word)]),
);
const DOT = 0x2e;
const ZERO = 0x30;
const PLUS = 0x2b;
const LOWER_E = 0x65;

/**
 * The members of the JSON object that `bytes` hold, as spans of their values; undefined unless all of it is one valid
 * object without a member named twice. Accepts what `JSON.parse` accepts and builds nothing, so that a message of
 * megabytes costs a look at its bytes. Does NOT check whether these are valid UTF-8.
 */
export function scanObject(
  bytes: Buffer,
  start = 0,
  end: number = bytes.length,
): ReadonlyMap<string, Span> | undefined {
  const scanner = new Scanner(bytes, end);
  const members = scanner.members(start);
  return members !== undefined && scanner.endsAt(scanner.at) ? members : undefined;
}

/** The spans of the elements of the JSON list that `bytes` hold; undefined unless they are one. */
export function scanArray(bytes: Buffer, start = 0, end: number = bytes.length): readonly Span[] | undefined {
  const scanner = new Scanner(bytes, end);
  const elements = scanner.elements(start);
  return elements !== undefined && scanner.endsAt(scanner.at) ? elements : undefined;
}

class Scanner {
  readonly #bytes: Buffer;
  readonly #end: number;
  at = 0;

  constructor(bytes: Buffer, end: number) {
    this.#bytes = bytes;
    this.#end = end;
  }

  endsAt(at: number): boolean {
    return this.#skipBlanks(at) === this.#end;
  }

  members(start: number): ReadonlyMap<string, Span> | undefined {
    const found = new Map<string, Span>();
    const bytes = this.#bytes;
    let at = this.#skipBlanks(start);
    if (this.#code(at) !== CODE.openBrace) return undefined;
    at = this.#skipBlanks(at + 1);
    if (this.#code(at) === CODE.closeBrace) {
      this.at = at + 1;
      return found;
    }
    for (;;) {
      const keyEnd = this.#string(at);
      if (keyEnd === -1) return undefined;
      const name = nameAt(bytes, at + 1, keyEnd - 1);
      at = this.#skipBlanks(keyEnd);
      if (this.#code(at) !== CODE.colon) return undefined;
      const valueStart = this.#skipBlanks(at + 1);
      const valueEnd = this.#value(valueStart, 1);
      if (valueEnd === -1 || found.has(name)) return undefined;
      found.set(name, { start: valueStart, end: valueEnd });
      at = this.#skipBlanks(valueEnd);
      const next = this.#code(at);
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
    let at = this.#skipBlanks(start);
    if (this.#code(at) !== CODE.openBracket) return undefined;
    at = this.#skipBlanks(at + 1);
    if (this.#code(at) === CODE.closeBracket) {
      this.at = at + 1;
      return found;
    }
    for (;;) {
      const valueEnd = this.#value(at, 1);
      if (valueEnd === -1) return undefined;
      found.push({ start: at, end: valueEnd });
      at = this.#skipBlanks(valueEnd);
      const next = this.#code(at);
      if (next === CODE.closeBracket) {
        this.at = at + 1;
        return found;
      }
      if (next !== CODE.comma) return undefined;
      at = this.#skipBlanks(at + 1);
    }
  }

  /** The byte there, or -1 after the end. */
  #code(at: number): number {
    return at < this.#end ? (this.#bytes[at] ?? -1) : -1;
  }

  /** The end of the value that starts at `at`, or -1. */
  #value(at: number, depth: number): number {
    if (depth > MAX_DEPTH) return -1;
    const code = this.#code(at);
    switch (code) {
      case CODE.quote:
        return this.#string(at);
      case CODE.openBrace:
        return this.#container(at, depth, CODE.closeBrace);
      case CODE.openBracket:
        return this.#container(at, depth, CODE.closeBracket);
      default:
        return isDigit(code) || code === CODE.minus ? this.#number(at) : this.#literal(at, code);
    }
  }

  #container(start: number, depth: number, close: number): number {
    const isObject = close === CODE.closeBrace;
    let at = this.#skipBlanks(start + 1);
    if (this.#code(at) === close) return at + 1;
    for (;;) {
      if (isObject) {
        const keyEnd = this.#string(at);
        if (keyEnd === -1) return -1;
        at = this.#skipBlanks(keyEnd);
        if (this.#code(at) !== CODE.colon) return -1;
        at = this.#skipBlanks(at + 1);
      }
      const valueEnd = this.#value(at, depth + 1);
      if (valueEnd === -1) return -1;
      at = this.#skipBlanks(valueEnd);
      const next = this.#code(at);
      if (next === close) return at + 1;
      if (next !== CODE.comma) return -1;
      at = this.#skipBlanks(at + 1);
    }
  }

  #literal(at: number, code: number): number {
    const word = LITERALS.get(code);
    if (word === undefined || at + word.length > this.#end) return -1;
    const end = at + word.length;
    return this.#bytes.compare(word, 0, word.length, at, end) === 0 ? end : -1;
  }

  #number(start: number): number {
    let at = this.#code(start) === CODE.minus ? start + 1 : start;
    if (this.#code(at) === ZERO) at += 1;
    else at = this.#digits(at);
    if (at !== -1 && this.#code(at) === DOT) at = this.#digits(at + 1);
    if (at !== -1 && (this.#code(at) | 0x20) === LOWER_E) {
      const sign = this.#code(at + 1);
      at = this.#digits(sign === PLUS || sign === CODE.minus ? at + 2 : at + 1);
    }
    return at;
  }

  /** The end of one digit or more, or -1. */
  #digits(start: number): number {
    let at = start;
    while (isDigit(this.#code(at))) at += 1;
    return at === start ? -1 : at;
  }

  /** The end of the string that starts at `start`, after its closing quote, or -1. */
  #string(start: number): number {
    if (this.#code(start) !== CODE.quote) return -1;
    let at = start + 1;
    for (;;) {
      at = endOfPlain(this.#bytes, at, this.#end);
      const code = this.#code(at);
      if (code === CODE.quote) return at + 1;
      if (code !== CODE.backslash || this.#code(at + 1) !== CODE.lowerU) return -1;
      for (let digit = at + 2; digit < at + 2 + HEX_DIGITS; digit++) {
        if (!isHexDigit(this.#code(digit))) return -1;
      }
      at += 2 + HEX_DIGITS;
    }
  }

  #skipBlanks(at: number): number {
    let next = at;
    for (;;) {
      const code = this.#code(next);
      if (code !== 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d) return next;
      next += 1;
    }
  }
}

/** Names that most messages have, by length and first byte: they need no string of their own. */
const COMMON: ReadonlyMap<number, string> = new Map(
  ['jsonrpc', 'id', 'method', 'params', 'result', 'error', '_meta', 'name', 'arguments'].map((name) => [
    (name.length << 8) | name.charCodeAt(0),
    name,
  ]),
);

function nameAt(bytes: Buffer, start: number, end: number): string {
  const common = COMMON.get(((end - start) << 8) | (bytes[start] ?? 0));
  return common !== undefined && isAt(bytes, start, common)
    ? common
    : keyOf(bytes.toString('utf8', start, end));
}

function isAt(bytes: Buffer, start: number, ascii: string): boolean {
  for (let index = 1; index < ascii.length; index++) {
    if (bytes[start + index] !== ascii.charCodeAt(index)) return false;
  }
  return true;
}

/** A member may spell its name with escapes, and is the same member. */
function keyOf(raw: string): string {
  return raw.includes('\\') ? String(JSON.parse(`"${raw}"`)) : raw;
}

/** Where a string ends, or has something that is not a plain character or a short escape. */
function endOfPlain(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end) {
    const kind = KINDS[bytes[at] ?? 0] ?? 0;
    if (kind === 0) at += 1;
    else if (kind === ESCAPES && at + 1 < end && IS_SHORT_ESCAPE[bytes[at + 1] ?? 0] === 1) at += 2;
    else break;
  }
  return at;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isHexDigit(code: number): boolean {
  return isDigit(code) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x66);
}
