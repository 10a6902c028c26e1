import { meetsGoal, ratioOf, type Row, type Section } from './row.js';

function figure(value: number): string {
  if (value >= 100) return value.toFixed(0);
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

function cells(row: Row, peer: string | undefined): string[] {
  const ratio = ratioOf(row);
  const met = meetsGoal(row);
  const limit =
    row.goal === undefined ? '' : ratio === undefined ? `≤ ${row.goal} ${row.unit}` : `≤ ${row.goal}×`;
  return [
    row.what,
    `${figure(row.ours)} ${row.unit}`,
    row.peer === undefined ? '' : `${figure(row.peer)} ${row.unit} (${row.peerName ?? peer ?? 'peer'})`,
    ratio === undefined ? '' : `${ratio.toFixed(2)}×`,
    limit,
    met === undefined ? '' : met ? 'met' : 'MISSED',
  ];
}

/** A Markdown table that also reads well in a terminal. */
export function formatSection({ title, peer, rows }: Section): string {
  const table = [['what', 'ours', 'peer', 'ratio', 'goal', ''], ...rows.map((row) => cells(row, peer))];
  const widths = (table[0] ?? []).map((_, column) =>
    Math.max(3, ...table.map((line) => (line[column] ?? '').length)),
  );
  const lines = table.map(
    (line) => `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  );
  lines.splice(1, 0, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`);
  return `## ${title}\n\n${lines.join('\n')}\n`;
}
