/** A place in a text, counted from 0 as the protocol does, in UTF-16 units. */
export interface Place {
  readonly line: number;
  readonly character: number;
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const WORD_CHARACTER = /[\p{L}\p{N}_$]/u;

/** Every place where a word stands by itself: `count` is not found in `counter`. */
export function findWord(text: string, word: string): readonly Place[] {
  if (word === '' || /[\r\n]/.test(word)) return [];
  const places: Place[] = [];
  let line = 0;
  let start = 0;
  let seen = 0;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
    if (!standsAlone(text, word, at)) continue;
    for (; seen < at; seen += 1) {
      if (!endsLine(text, seen)) continue;
      line += 1;
      start = seen + 1;
    }
    places.push({ line, character: at - start });
  }
  return places;
}

/** Where a line starts; the end of the text when there are not so many. */
export function lineStart(text: string, line: number): number {
  let left = line;
  let at = 0;
  for (; left > 0 && at < text.length; at += 1) if (endsLine(text, at)) left -= 1;
  return at;
}

/** Some lines, the last one included. Pure. */
export function linesBetween(text: string, first: number, last: number): string {
  const start = lineStart(text, first);
  const rest = text.slice(start);
  return rest.slice(0, lineStart(rest, last - first + 1)).replace(/(?:\r\n|\n|\r)$/, '');
}

/** By code units, which is several times as fast as an expression for the ends of lines. */
function endsLine(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit === LINE_FEED || (unit === CARRIAGE_RETURN && text.charCodeAt(at + 1) !== LINE_FEED);
}

function standsAlone(content: string, word: string, at: number): boolean {
  const end = at + word.length;
  const before = content.slice(Math.max(0, at - 1), at);
  const after = content.slice(end, end + 1);
  return !(joins(before) && joins(word.slice(0, 1))) && !(joins(after) && joins(word.slice(-1)));
}

/** Whether a character, one UTF-16 unit, is part of a word. */
export function joins(character: string): boolean {
  return WORD_CHARACTER.test(character);
}

/** The places in the order they should be tried: nearest to the line that was meant, above before below. */
export function nearestFirst(places: readonly Place[], line: number): readonly Place[] {
  return places.toSorted((a, b) => Math.abs(a.line - line) - Math.abs(b.line - line));
}
