import type { Paint, Tone } from './paint.js';

export type Cell = string | { readonly text: string; readonly tone: Tone };
export type Row = readonly Cell[];

const COLUMN_SPACE = '  ';
/** Below this a column of words is harder to read than a long line. */
export const MIN_WIDTH = 24;

export interface Layout {
  readonly paint: Paint;
  /** Undefined: lines are not wrapped. */
  readonly columns?: number | undefined;
  readonly indent?: string;
}

/** Rows as lines, in columns. The last cell of a row is wrapped below itself where the display is too narrow for it. */
export function alignRows(rows: readonly Row[], { paint, columns, indent = '' }: Layout): string {
  const widths = columnWidths(rows);
  return rows.map((row) => alignRow(row, widths, { paint, columns, indent })).join('');
}

function alignRow(row: Row, widths: readonly number[], { paint, columns, indent = '' }: Layout): string {
  const head = row.slice(0, -1);
  const last = row.at(-1) ?? '';
  const start = head.map((cell, index) => shown(cell, paint, widths[index] ?? 0) + COLUMN_SPACE).join('');
  const margin =
    indent.length + head.reduce((sum, _, index) => sum + (widths[index] ?? 0) + COLUMN_SPACE.length, 0);
  const lines = wrap(textOf(last), columns === undefined ? undefined : columns - margin);
  const tone = typeof last === 'string' ? undefined : last.tone;
  return lines
    .map((line, index) => {
      const before = index === 0 ? indent + start : ' '.repeat(margin);
      return `${before}${tone === undefined ? line : paint(tone, line)}`.trimEnd();
    })
    .map((line) => `${line}\n`)
    .join('');
}

/** The last cell of a row does not count for the width of a column. */
function columnWidths(rows: readonly Row[]): readonly number[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.slice(0, -1).entries()) {
      widths[index] = Math.max(widths[index] ?? 0, textOf(cell).length);
    }
  }
  return widths;
}

function shown(cell: Cell, paint: Paint, width: number): string {
  const text = textOf(cell);
  const padding = ' '.repeat(Math.max(0, width - text.length));
  return `${typeof cell === 'string' ? text : paint(cell.tone, text)}${padding}`;
}

/** File names and foreign texts may contain escape sequences for a terminal. */
function textOf(cell: Cell): string {
  return (typeof cell === 'string' ? cell : cell.text).replaceAll(/\p{Cc}+/gu, ' ');
}

/** Words are never cut: a path that is too long can still be copied. */
export function wrap(text: string, width: number | undefined): readonly string[] {
  if (width === undefined || width < MIN_WIDTH) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}
