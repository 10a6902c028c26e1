import type { PlannedEdit } from './apply-edits.js';

/** A line as it was and as it will be. */
export interface RenamedLine {
  /** Counted from 1. */
  readonly line: number;
  readonly before: string;
  readonly after: string;
}

/** A file that changes, with its lines as far as there is room for them. */
export interface RenamedFile {
  readonly file: string;
  readonly lines: readonly RenamedLine[];
}

/** Lines shown of all files; the rest is counted. */
const MAX_LINES = 1_000;
const MAX_LINES_PER_FILE = 200;
const MAX_LINE_CHARS = 200;

/** What changes in each file, for people. Pure. */
export function describeFiles(planned: readonly PlannedEdit[]): {
  readonly files: readonly RenamedFile[];
  readonly unlisted: readonly string[];
} {
  let left = MAX_LINES;
  let unlisted = 0;
  const files = planned.map(({ path: file, before, after }) => {
    const changed = changedLines(before, after);
    const lines = changed.slice(0, Math.min(left, MAX_LINES_PER_FILE));
    left -= lines.length;
    unlisted += changed.length - lines.length;
    return { file, lines };
  });
  return { files, unlisted: unlisted === 0 ? [] : [`${unlisted} more changed lines are not shown`] };
}

/** Lines that differ. A rename almost never changes the number of lines; if it does, all that follow show as changed. */
function changedLines(before: string, after: string): readonly RenamedLine[] {
  const old = before.split(/\r\n|\n|\r/);
  return after
    .split(/\r\n|\n|\r/)
    .flatMap((line, index) =>
      line === old[index]
        ? []
        : [{ line: index + 1, before: shorten(old[index] ?? ''), after: shorten(line) }],
    );
}

function shorten(line: string): string {
  return line.trim().slice(0, MAX_LINE_CHARS).toWellFormed();
}
