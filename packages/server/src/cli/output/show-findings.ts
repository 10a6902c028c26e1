import { alignRows, type Cell, type Row } from './align-rows.js';
import { painter, type Paint } from './paint.js';
import type { Display } from './display.js';

/** One thing that was looked at. A problem has a fix. */
export interface Finding {
  readonly topic: string;
  readonly state: 'fine' | 'note' | 'problem';
  readonly detail: string;
  readonly fix?: string;
  /** Shown with `--verbose` only. */
  readonly detailed?: boolean;
}

/** What is shown beside the findings. */
export interface FindingsFrame {
  readonly clients?: readonly { readonly name: string; readonly gives: string }[];
  /** What to type for more. */
  readonly more?: string;
}

const MARKS: Readonly<Record<Finding['state'], Cell>> = {
  fine: { text: 'ok', tone: 'good' },
  note: { text: '--', tone: 'quiet' },
  problem: { text: '!!', tone: 'bad' },
};

/** Problems first, then the other findings in the order they were made, then how many problems there are. */
export function showFindings(
  findings: readonly Finding[],
  { clients = [], more }: FindingsFrame,
  { columns, colors }: Display,
): string {
  const paint = painter({ colors });
  const isProblem = ({ state }: Finding): boolean => state === 'problem';
  const problems = findings.filter(isProblem);
  const ordered = [...problems, ...findings.filter((finding) => !isProblem(finding))];
  const rows = ordered.flatMap(rowsOf);
  const known = clients.map(({ name, gives }): Row => [{ text: name, tone: 'name' }, gives]);
  return [
    alignRows(rows, { paint, columns }),
    ...(known.length === 0
      ? []
      : [
          `\n${paint('title', 'What known clients give')}\n`,
          alignRows(known, { paint, columns, indent: '  ' }),
        ]),
    `\n${summary(problems.length, paint)}\n`,
    ...(more === undefined ? [] : [alignRows([[more]], { paint, columns })]),
  ].join('');
}

function rowsOf({ topic, state, detail, fix }: Finding): readonly Row[] {
  const found: Row = [MARKS[state], { text: topic, tone: 'title' }, detail];
  return fix === undefined ? [found] : [found, ['', '', { text: `fix: ${fix}`, tone: 'doubtful' }]];
}

function summary(problems: number, paint: Paint): string {
  if (problems === 0) return paint('good', 'No problems found');
  return paint(
    'bad',
    problems === 1 ? '1 problem, with its fix above' : `${problems} problems, with their fixes above`,
  );
}
