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
      const replacement = reindent(newText.split('\n'), wanted, indentOf(line));
      matches.push({ start, end: start + found.join('\n').length, replacement });
    }
    start += line.length + 1;
  }
  return matches;
}

/** The first line takes the indentation it replaces; the others keep theirs relative to the lines they replace. */
function reindent(newLines: readonly string[], oldLines: readonly string[], indent: string): string {
  const lines = newLines.map((line, index) => {
    if (index === 0) return indent + line.trimStart();
    const oldIndent = indentOf(oldLines[index] ?? '');
    const newIndent = indentOf(line);
    if (oldIndent === '' || newIndent === '') return line;
    return indent + ' '.repeat(Math.max(0, newIndent.length - oldIndent.length)) + line.trimStart();
  });
  return lines.join('\n');
}

function indentOf(line: string): string {
  return /^\s*/.exec(line)?.[0] ?? '';
}
