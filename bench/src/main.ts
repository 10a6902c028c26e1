import { writeFileSync } from 'node:fs';
import { benchCode } from './code.js';
import { benchExec } from './exec.js';
import { benchFence } from './fence.js';
import { describeMachine } from './machine.js';
import { benchFiles } from './files.js';
import { benchMcp } from './mcp.js';
import { formatResults, METHOD } from './results.js';
import type { Section } from './row.js';
import { benchStart } from './start.js';
import { meetsGoal } from './row.js';
import { formatSection } from './table.js';
import { benchWorkspace } from './workspace.js';

const SECTIONS: Record<string, () => Promise<Section>> = {
  exec: benchExec,
  fence: benchFence,
  workspace: benchWorkspace,
  mcp: benchMcp,
  files: benchFiles,
  start: benchStart,
  code: benchCode,
};

const RESULTS = new URL('../RESULTS.md', import.meta.url);

const args = process.argv.slice(2);
const write = args.includes('--write');
const wanted = args.filter((arg) => arg !== '--write');
const unknown = wanted.filter((name) => !(name in SECTIONS));
if (unknown.length > 0) {
  console.error(`Unknown bench ${unknown.join(', ')}; there are: ${Object.keys(SECTIONS).join(', ')}`);
  process.exit(2);
}
if (write && wanted.length > 0) {
  console.error('Cannot write results: --write keeps the figures of all benches of one run, so name none');
  process.exit(2);
}

const machine = describeMachine();
console.log(`${machine}.\n${METHOD}\n`);
const sections: Section[] = [];
for (const [name, run] of Object.entries(SECTIONS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const section = await run();
  sections.push(section);
  console.log(formatSection(section));
}
if (write) writeFileSync(RESULTS, formatResults({ takenOn: new Date(), machine, sections }));
const missed = sections.flatMap(({ rows }) => rows).filter((row) => meetsGoal(row) === false).length;
if (missed > 0) {
  console.error(`${missed} goal${missed === 1 ? '' : 's'} missed`);
  process.exitCode = 1;
}
