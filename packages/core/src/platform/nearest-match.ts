/** A third of a word may be mistyped; beyond that a guess is more confusing than none. */
const MAX_DIFFERENT_SHARE = 1 / 3;
/** Too many words start with fewer letters. */
const MIN_STEM_LENGTH = 3;
/** Longer words are not typing mistakes, and the cost grows with the square of the length. */
const MAX_WORD_LENGTH = 64;

/** The candidate that was most likely meant, regardless of letter case; undefined when none comes close. */
export function nearestMatch(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > MAX_WORD_LENGTH) return undefined;
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = isCutOff(plain(word), plain(candidate))
      ? 1
      : editDistance(plain(word), plain(candidate));
    if (distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { candidate, distance };
  }
  if (best === undefined) return undefined;
  const longest = Math.max(plain(word).length, plain(best.candidate).length);
  return best.distance <= Math.max(1, Math.floor(longest * MAX_DIFFERENT_SHARE)) ? best.candidate : undefined;
}

/** `warning` for `warn`, `client` for `clientRoots`. */
function isCutOff(word: string, candidate: string): boolean {
  const [shorter, longer] = word.length < candidate.length ? [word, candidate] : [candidate, word];
  return shorter.length >= MIN_STEM_LENGTH && longer.startsWith(shorter);
}

/** `; did you mean "x"?`, or nothing. */
export function suggest(word: string, candidates: readonly string[]): string {
  const match = nearestMatch(word, candidates);
  return match === undefined ? '' : `; did you mean "${match}"?`;
}

/** `read_only`, `readOnly` and `--read-only` are the same word to a person who mistypes it. */
function plain(word: string): string {
  return word.toLowerCase().replaceAll(/[-_\s]/g, '');
}

/** Insertions, deletions, replacements and swaps of neighbours that turn one word into the other. */
function editDistance(from: string, to: string): number {
  let twoBefore: number[] = [];
  let before = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      let cost = Math.min(
        (before[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (before[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped =
        row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (swapped) cost = Math.min(cost, (twoBefore[column - 2] ?? 0) + 1);
      current.push(cost);
    }
    twoBefore = before;
    before = current;
  }
  return before[to.length] ?? 0;
}
