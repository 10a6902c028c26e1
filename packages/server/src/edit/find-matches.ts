/** More need not be found: with two it is already unclear which one is meant. */
export const MAX_MATCHES = 11;

/** A place where an edit fits, and what goes there. */
export interface Match {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

/**
 * No more than `MAX_MATCHES`. All texts have `\n` line ends. Where nothing matches exactly, whole lines may differ in
 * their outer white space.
 */
export function findMatches(text: string, oldText: string, newText: string): readonly Match[] {
  const exact = findExact(text, oldText, newText);
  return exact.length > 0 ? exact : findByLines(text, oldText, newText);
}

/** Overlapping places count too: which of them is meant is just as unclear. */
function findExact(text: string, oldText: string, newText: string): readonly Match[] {
  return occurrences(text, oldText, MAX_MATCHES).map((start) => ({
    start,
    end: start + oldText.length,
    replacement: newText,
  }));
}

function findByLines(text: string, oldText: string, newText: string): readonly Match[] {
  const wanted = oldText.split('\n');
  const trimmed = wanted.map((line) => line.trim());
  // Blank lines would fit anywhere in a run of them, and say nothing about where.
  if (trimmed.every((line) => line === '')) return [];
  const lines = text.split('\n');
  const places = occurrences(asLines(lines.map((line) => line.trim())), asLines(trimmed), MAX_MATCHES);
  const found: Match[] = [];
  let start = 0;
  let trimmedStart = 0;
  for (const [index, line] of lines.entries()) {
    if (places[found.length] === trimmedStart) {
      const old = lines.slice(index, index + wanted.length);
      const replacement = reindent(newText.split('\n'), wanted, old);
      found.push({ start, end: start + old.join('\n').length, replacement });
    }
    start += line.length + 1;
    trimmedStart += line.trim().length + 1;
  }
  return found;
}

/** With an end before the first and after the last, so that only whole lines are found. */
function asLines(lines: readonly string[]): string {
  return `\n${lines.join('\n')}\n`;
}

/** Lines are indented like those of the file that stand where lines with their indentation stood in the edit. */
function reindent(
  newLines: readonly string[],
  oldLines: readonly string[],
  found: readonly string[],
): string {
  const known = new Map<string, string>();
  for (const [index, line] of oldLines.entries()) {
    const indent = indentOf(line);
    if (line.trim() !== '' && !known.has(indent)) known.set(indent, indentOf(found[index] ?? ''));
  }
  const translated = new Map<string, string>();
  const lines = newLines.map((line) => {
    if (line.trim() === '') return line;
    const indent = indentOf(line);
    const own = translated.get(indent) ?? translate(indent, known);
    translated.set(indent, own);
    return own + line.trimStart();
  });
  return lines.join('\n');
}

/** What is deeper than all that is known keeps its distance, and so does what is less deep. */
function translate(indent: string, known: ReadonlyMap<string, string>): string {
  const byLength = [...known].sort(([one], [other]) => other.length - one.length);
  const outer = byLength.find(([old]) => indent.startsWith(old));
  if (outer !== undefined) return outer[1] + indent.slice(outer[0].length);
  const inner = byLength.findLast(([old]) => old.startsWith(indent));
  if (inner === undefined) return indent;
  return inner[1].slice(0, Math.max(0, inner[1].length - (inner[0].length - indent.length)));
}

function indentOf(line: string): string {
  return /^\s*/.exec(line)?.[0] ?? '';
}

/**
 * Where a non-empty string occurs, overlapping places included; no more than `most` of them. Takes time in
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
