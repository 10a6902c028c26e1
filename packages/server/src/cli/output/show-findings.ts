import { alignRows, type Cell, type Row } from './align-rows.js';
import { painter } from './paint.js';
import type { Display } from './display.js';

/** One thing that was looked at. A problem has a fix. */
export interface Finding {
  readonly topic: string;
  readonly state: 'fine' | 'note' | 'problem';
  readonly detail: string;
  readonly fix?: string;
}

const MARKS: Readonly<Record<Finding['state'], Cell>> = {
  fine: { text: 'ok', tone: 'good' },
  note: { text: '--', tone: 'quiet' },
  problem: { text: '!!', tone: 'bad' },
};

/** Findings in the order they were made, then what known clients give, then how many problems there are. */
export function showFindings(
  findings: readonly Finding[],
  clients: readonly { readonly name: string; readonly gives: string }[],
  { columns, colors }: Display,
): string {
  const paint = painter({ colors });
  const rows = findings.flatMap(({ topic, state, detail, fix }): readonly Row[] => [
    [MARKS[state], { text: topic, tone: 'title' }, detail],
    ...(fix === undefined ? [] : [['', '', { text: `fix: ${fix}`, tone: 'doubtful' }] as const]),
  ]);
  const known = clients.map(({ name, gives }): Row => [{ text: name, tone: 'name' }, gives]);
  const problems = findings.filter(({ state }) => state === 'problem').length;
  const summary =
    problems === 0
      ? paint('good', 'No problems found')
      : paint(
          'bad',
          problems === 1 ? '1 problem, with its fix above' : `${problems} problems, with their fixes above`,
        );
  return [
    alignRows(rows, { paint, columns }),
    ...(known.length === 0
      ? []
      : [
          `\n${paint('title', 'What known clients give')}\n`,
          alignRows(known, { paint, columns, indent: '  ' }),
        ]),
    `\n${summary}\n`,
  ].join('');
}
