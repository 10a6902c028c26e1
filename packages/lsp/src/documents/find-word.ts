/** A place in a text, counted from 0 as the protocol does, in UTF-16 units. */
export interface Place {
  readonly line: number;
  readonly character: number;
}

const WORD_CHARACTER = /[\p{L}\p{N}_$]/u;

/** Every place where a word stands by itself: `count` is not found in `counter`. */
export function findWord(text: string, word: string): readonly Place[] {
  if (word === '') return [];
  const places: Place[] = [];
  for (const [line, content] of text.split(/\r\n|\n|\r/).entries()) {
    for (let at = content.indexOf(word); at >= 0; at = content.indexOf(word, at + word.length)) {
      if (standsAlone(content, word, at)) places.push({ line, character: at });
    }
  }
  return places;
}

function standsAlone(content: string, word: string, at: number): boolean {
  const end = at + word.length;
  const before = content.slice(Math.max(0, at - 1), at);
  const after = content.slice(end, end + 1);
  return !(joins(before) && joins(word.slice(0, 1))) && !(joins(after) && joins(word.slice(-1)));
}

function joins(character: string): boolean {
  return WORD_CHARACTER.test(character);
}

/** The places in the order they should be tried: nearest to the line that was meant, above before below. */
export function nearestFirst(places: readonly Place[], line: number): readonly Place[] {
  return places.toSorted((a, b) => Math.abs(a.line - line) - Math.abs(b.line - line));
}
