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
export const HEX_DIGITS = 4;
/** Deeper nesting is no message; the limit keeps a hostile line from overflowing the stack. */
export const MAX_DEPTH = 512;

/** Tables, since almost all bytes are in strings. 0: stands for itself. */
const ENDS = 1;
const ESCAPES = 2;
const KINDS = Uint8Array.from({ length: 256 }, (_, code) =>
  code === CODE.backslash ? ESCAPES : code === CODE.quote || code < FIRST_PRINTABLE ? ENDS : 0,
);
const SHORT_ESCAPES = Buffer.from('"\\/bfnrt');
const IS_SHORT_ESCAPE = Uint8Array.from({ length: 256 }, (_, code) => (SHORT_ESCAPES.includes(code) ? 1 : 0));

/** Where a string ends, or has something that is not a plain character or a short escape. */
export function endOfPlain(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end) {
    const kind = KINDS[bytes[at] ?? 0] ?? 0;
    if (kind === 0) at += 1;
    else if (kind === ESCAPES && at + 1 < end && IS_SHORT_ESCAPE[bytes[at + 1] ?? 0] === 1) at += 2;
    else break;
  }
  return at;
}

export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

export function isHexDigit(code: number): boolean {
  return isDigit(code) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x66);
}
