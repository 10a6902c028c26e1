import { indentOf, type Extent } from '../symbols/symbol-extent.js';

/** What to do with a declaration. */
export type SymbolAction = 'replace' | 'insert_before' | 'insert_after' | 'delete';

const LEAD = /^\s*(?:@|#\[|\/\/|\/\*|#(?!!)|--)/;
const CLOSER = /^\s*[)\]}]+[;,]?\s*$/;

/**
 * The lines of a file after a declaration was changed. Pure. Indentation and the blank lines around it are kept, and the
 * commas of a list and the semicolon behind a declaration are what they have to be.
 */
export function editedLines(
  lines: readonly string[],
  extent: Extent,
  action: SymbolAction,
  text: string,
): readonly string[] {
  const { lead, start, end, endCharacter, separator, isListed } = extent;
  const fitted = atIndent(text, indentOf(lines[start] ?? ''));
  switch (action) {
    case 'replace': {
      // A replacement with its own comment or decorators replaces those that are there.
      const first = LEAD.test(fitted[0] ?? '') ? lead : start;
      return [...lines.slice(0, first), ...separated(fitted, separator), ...lines.slice(end + 1)];
    }
    case 'insert_before': {
      const blanks = blankLinesBetween(lines, extent);
      const item = isListed ? separated(fitted, ',') : fitted;
      return [...lines.slice(0, lead), ...item, ...blanks, ...lines.slice(lead)];
    }
    case 'insert_after': {
      const blanks = blankLinesBetween(lines, extent);
      const last = lines[end] ?? '';
      const isLastItem = isListed && separator === '';
      const own = isLastItem ? `${last.slice(0, endCharacter)},${last.slice(endCharacter)}` : last;
      const item = isListed && !isLastItem ? separated(fitted, ',') : fitted;
      return [...lines.slice(0, end), own, ...blanks, ...item, ...lines.slice(end + 1)];
    }
    case 'delete':
      return withoutLines(lines, lead, end);
  }
}

/** With a separator at the end, unless one is there. */
function separated(lines: readonly string[], separator: string): readonly string[] {
  const last = lines.at(-1) ?? '';
  return separator === '' || /[;,]\s*$/.test(last) ? lines : [...lines.slice(0, -1), last + separator];
}

/** The blank lines that stand between declarations here: those above this one, or below it, or one for longer ones. */
function blankLinesBetween(lines: readonly string[], { lead, end }: Extent): readonly string[] {
  const above = blanksFrom(lines, lead - 1, -1);
  const below = blanksFrom(lines, end + 1, 1);
  const isFirst = lead - above <= 0 || /[{(:[]\s*$/.test(lines[lead - above - 1] ?? '');
  const isLast = end + below >= lines.length - 1 || CLOSER.test(lines[end + below + 1] ?? '');
  const count = !isFirst ? above : !isLast ? below : end > lead ? 1 : 0;
  return Array.from({ length: count }, () => '');
}

function blanksFrom(lines: readonly string[], from: number, step: 1 | -1): number {
  let count = 0;
  for (let line = from; line >= 0 && line < lines.length && lines[line]?.trim() === ''; line += step)
    count += 1;
  return count;
}

/** Takes lines out, and of the blank lines above and below them the fewer. */
function withoutLines(lines: readonly string[], first: number, last: number): readonly string[] {
  const above = blanksFrom(lines, first - 1, -1);
  const below = blanksFrom(lines, last + 1, 1);
  // At the end of a file the blank lines above go too.
  if (last + below >= lines.length - 1) return [...lines.slice(0, first - above), ...(below > 0 ? [''] : [])];
  const isAtTop = first - above <= 0;
  const cutBelow = isAtTop ? below : Math.min(above, below);
  return [...lines.slice(0, first), ...lines.slice(last + 1 + cutBelow)];
}

/** Text at an indentation, whatever it had; without blank lines around it. */
function atIndent(text: string, indent: string): readonly string[] {
  const lines = text.replace(/^(?:[^\S\n]*\r?\n)+|\s+$/g, '').split(/\r\n|\n|\r/);
  const [first = '', ...others] = lines;
  const own = indentOf(first);
  const rest = others.filter((line) => line.trim() !== '').map((line) => indentOf(line));
  const least = rest.reduce<string | undefined>(
    (found, each) => (found === undefined || each.length < found.length ? each : found),
    undefined,
  );
  // Copied from a file without the indentation of its first line, the other lines still have theirs.
  const isCopied =
    own === '' &&
    indent !== '' &&
    least !== undefined &&
    (least.length > indent.length || (least === indent && CLOSER.test(others.at(-1) ?? '')));
  const dropped = isCopied ? indent : own;
  return [
    indent + first.slice(own.length),
    ...others.map((line) => {
      if (line.trim() === '') return '';
      return indent + (line.startsWith(dropped) ? line.slice(dropped.length) : line.trimStart());
    }),
  ];
}

/** Text with some of its lines replaced. Unchanged lines keep their line ends; others get the usual one. Pure. */
export function withLines(text: string, before: readonly string[], after: readonly string[]): string {
  const ends = [...text.matchAll(/\r\n|\n|\r/g)].map(([end]) => end);
  const usual = ends.filter((end) => end === '\r\n').length * 2 > ends.length ? '\r\n' : '\n';
  let head = 0;
  while (head < Math.min(before.length, after.length) && before[head] === after[head]) head += 1;
  let tail = 0;
  const most = Math.min(before.length, after.length) - head;
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  const shift = before.length - after.length;
  return after
    .map((line, index) => {
      if (index === after.length - 1) return line;
      if (index < head) return line + (ends[index] ?? usual);
      return line + (index >= after.length - tail ? (ends[index + shift] ?? usual) : usual);
    })
    .join('');
}
