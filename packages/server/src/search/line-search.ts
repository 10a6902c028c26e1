export interface LineMatch {
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
  readonly text: string;
}

/** The matching lines of a text. */
export type LineSearch = (text: string) => readonly LineMatch[];

/** Looks for an expression line by line. Self-contained: a thread gets its source text and nothing else. */
export function lineSearch(expression: RegExp): LineSearch {
  /** What is shown of a line; more is a minified file, and one line of that would fill a page. */
  const maxShown = 300;
  const beforeMatch = 60;
  const cut = (line: string, at: number): string => {
    if (line.length <= maxShown) return line;
    const start = Math.max(0, Math.min(at - beforeMatch, line.length - maxShown));
    const end = start + maxShown;
    return `${start > 0 ? '…' : ''}${line.slice(start, end).toWellFormed()}${end < line.length ? '…' : ''}`;
  };
  return (text) => {
    const matches: LineMatch[] = [];
    let line = 0;
    for (let start = 0; start < text.length;) {
      const newline = text.indexOf('\n', start);
      const end = newline < 0 ? text.length : newline;
      line++;
      const content = text.slice(start, text[end - 1] === '\r' && end > start ? end - 1 : end);
      const at = content.search(expression);
      if (at >= 0) matches.push({ line, column: at + 1, text: cut(content, at) });
      start = end + 1;
    }
    return matches;
  };
}
