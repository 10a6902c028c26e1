export interface TextPage {
  readonly text: string;
  /** Where the next page starts. */
  readonly end: number;
}

/** At most `size` characters from `start`, cut after a line where there is one, and never inside a character. */
export function cutPage(text: string, start: number, size: number): TextPage {
  const limit = start + size;
  if (limit >= text.length) return { text: text.slice(start), end: text.length };
  const line = text.lastIndexOf('\n', limit - 1) + 1;
  const end = line > start ? line : beforeSplitPair(text, limit, start);
  return { text: text.slice(start, end), end };
}

/** Two halves of a character stay together, unless a page would be empty. */
function beforeSplitPair(text: string, end: number, start: number): number {
  const code = text.charCodeAt(end - 1);
  const isHigh = code >= 0xd8_00 && code <= 0xdb_ff;
  return isHigh && end - 1 > start ? end - 1 : end;
}
