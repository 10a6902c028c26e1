// How fast this server is beside the reference one: rows of bench/RESULTS.md, so that no figure is written by hand.
import { readFileSync } from 'node:fs';

const RESULTS = new URL('../../bench/RESULTS.md', import.meta.url);
/** In the results, and on the page. */
const ROWS = [
  ['start to the answer to initialize', 'start to the answer to `initialize`'],
  ['start and 100 reads of a 1 KB file', 'start and the first 100 reads of 1 KB'],
  ['read a 1 KB file, 1 root', 'read 1 KB, one root'],
  ['read a 1 KB file, 5000 roots', 'read 1 KB, 5,000 roots'],
  ['search_files, 10000 files', '`search_files` over 10,000 files'],
  ['directory_tree, 10000 files, whole', '`directory_tree` of 10,000 files'],
  ['resident memory after start', 'memory after the start'],
];

export function speedTable() {
  const [, section = ''] = readFileSync(RESULTS, 'utf8').split('\n## The server (rootward)\n');
  const found = new Map(
    section
      .split('\n## ')[0]
      .split('\n')
      .map((line) => line.split('|').map((cell) => cell.trim()))
      .map(([, what, ours, peer, ratio]) => [what, { ours, peer, ratio }]),
  );
  const rows = ROWS.map(([name, shown]) => {
    const row = found.get(name);
    if (row === undefined) throw new Error(`bench/RESULTS.md has no row "${name}"`);
    return `| ${shown} | ${row.ours} | ${row.peer.replace(/ \(.*/, '')} | ${row.ratio} |`;
  });
  return ['| | rootward | server-filesystem | ratio |', '|---|---|---|---|', ...rows].join('\n');
}
