/**
 * Where a text that is not empty occurs, overlapping places included; no more than `most` of them. Takes time in
 * proportion to both texts (Knuth, Morris and Pratt): for some, the engine's own search takes hours.
 */
export function occurrences(text: string, wanted: string, most: number): readonly number[] {
  const borders = bordersOf(wanted);
  const found: number[] = [];
  let matched = 0;
  for (let at = 0; at < text.length && found.length < most; at++) {
    const code = text.charCodeAt(at);
    // Beyond the end of what is wanted there is no code, which equals none.
    while (matched > 0 && wanted.charCodeAt(matched) !== code) matched = borders[matched - 1] ?? 0;
    if (wanted.charCodeAt(matched) === code) matched++;
    if (matched === wanted.length) found.push(at + 1 - matched);
  }
  return found;
}

/** For each start of the text, how much of its end is also its beginning. */
function bordersOf(text: string): Int32Array {
  const borders = new Int32Array(text.length);
  let border = 0;
  for (let at = 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    while (border > 0 && text.charCodeAt(border) !== code) border = borders[border - 1] ?? 0;
    if (text.charCodeAt(border) === code) border++;
    borders[at] = border;
  }
  return borders;
}
