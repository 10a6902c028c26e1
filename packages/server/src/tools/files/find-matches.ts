/** A place where an edit fits, and what goes there. */
export interface Match {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

/** All texts have `\n` line ends. Where nothing matches exactly, whole lines may differ in their outer white space. */
export function findMatches(text: string, oldText: string, newText: string): readonly Match[] {
  const exact = findExact(text, oldText, newText);
  return exact.length > 0 ? exact : findByLines(text, oldText, newText);
}

/** Overlapping places count too: which of them is meant is just as unclear. */
function findExact(text: string, oldText: string, newText: string): readonly Match[] {
  const matches: Match[] = [];
  for (let at = text.indexOf(oldText); at >= 0; at = text.indexOf(oldText, at + 1)) {
    matches.push({ start: at, end: at + oldText.length, replacement: newText });
  }
  return matches;
}

function findByLines(text: string, oldText: string, newText: string): readonly Match[] {
  const wanted = oldText.split('\n');
  const trimmed = wanted.map((line) => line.trim());
  // Blank lines would fit anywhere in a run of them, and say nothing about where.
  if (trimmed.every((line) => line === '')) return [];
  const lines = text.split('\n');
  const lineTrimmed = lines.map((line) => line.trim());
  const matches: Match[] = [];
  let start = 0;
  for (const [index, line] of lines.entries()) {
    if (trimmed.every((expected, at) => lineTrimmed[index + at] === expected)) {
      const found = lines.slice(index, index + wanted.length);
      const replacement = reindent(newText.split('\n'), wanted, found);
      matches.push({ start, end: start + found.join('\n').length, replacement });
    }
    start += line.length + 1;
  }
  return matches;
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
  const lines = newLines.map((line) =>
    line.trim() === '' ? line : translate(indentOf(line), known) + line.trimStart(),
  );
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
