import type { Section } from './row.js';
import { formatSection } from './table.js';

/** How the figures come about, for whoever reads or repeats them. */
export const METHOD =
  'Candidates take turns batch by batch in one run; figures are medians, and only ratios travel. Each section has a process of its own. While calls over a pipe are measured, a process of the lowest priority keeps the cores awake: waking them costs more than a call on some machines.';

export interface Results {
  readonly takenOn: Date;
  readonly machine: string;
  readonly sections: readonly Section[];
}

/** The page that keeps the results of one run. */
export function formatResults({ takenOn, machine, sections }: Results): string {
  const intro = [
    '# Results',
    `Written by \`npm run bench -- --write\` on ${takenOn.toISOString().slice(0, 10)}.`,
    `${machine}.`,
    `${METHOD} A ratio below 1 means less time or memory than the peer named beside it. \`npm run bench\` repeats all of it.`,
  ];
  return `${[...intro, ...sections.map((section) => formatSection(section).trimEnd())].join('\n\n')}\n`;
}
