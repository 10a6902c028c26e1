import { cpus, release, totalmem, type } from 'node:os';
import { benchFence } from './fence.js';
import { benchFiles } from './files.js';
import { benchMcp } from './mcp.js';
import type { Section } from './row.js';
import { benchStart } from './start.js';
import { meetsGoal } from './row.js';
import { formatSection } from './table.js';
import { benchWorkspace } from './workspace.js';

const SECTIONS: Record<string, () => Promise<Section>> = {
  fence: benchFence,
  workspace: benchWorkspace,
  mcp: benchMcp,
  files: benchFiles,
  start: benchStart,
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in SECTIONS));
if (unknown.length > 0) {
  console.error(`Unknown bench ${unknown.join(', ')}; there are: ${Object.keys(SECTIONS).join(', ')}`);
  process.exit(2);
}

const cores = cpus();
const memory = (totalmem() / 2 ** 30).toFixed(0);
console.log(
  `Node ${process.version}, ${type()} ${release()}, ${cores.length} × ${cores[0]?.model.trim() ?? 'unknown processor'}, ${memory} GiB.`,
);
console.log(
  'Candidates take turns batch by batch in one process; figures are medians, and only ratios travel.\n',
);
let missed = 0;
for (const [name, run] of Object.entries(SECTIONS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const section = await run();
  missed += section.rows.filter((row) => meetsGoal(row) === false).length;
  console.log(formatSection(section));
}
if (missed > 0) {
  console.error(`${missed} goal${missed === 1 ? '' : 's'} missed`);
  process.exitCode = 1;
}
