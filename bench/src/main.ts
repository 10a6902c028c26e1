import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { describeMachine } from './machine.js';
import { formatResults, METHOD } from './results.js';
import { meetsGoal, type Section } from './row.js';
import { SECTIONS } from './sections.js';
import { formatSection } from './table.js';

const RESULTS = new URL('../RESULTS.md', import.meta.url);

/** In a process of its own: garbage and compiled code of one bench would be part of the figures of the next. */
async function measureApart(name: string): Promise<Section> {
  const child = fork(new URL('section-process.js', import.meta.url), [name]);
  let section: Section | undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its one message is the section it measured
  child.on('message', (message) => (section = message as Section));
  await once(child, 'exit');
  if (section === undefined) throw new Error(`Cannot measure ${name}: its process ended without figures`);
  return section;
}

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
for (const name of Object.keys(SECTIONS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const section = await measureApart(name);
  sections.push(section);
  console.log(formatSection(section));
}
if (write) writeFileSync(RESULTS, formatResults({ takenOn: new Date(), machine, sections }));
const missed = sections.flatMap(({ rows }) => rows).filter((row) => meetsGoal(row) === false).length;
if (missed > 0) {
  console.error(`${missed} goal${missed === 1 ? '' : 's'} missed`);
  process.exitCode = 1;
}
