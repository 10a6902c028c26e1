// What well-known servers need on their command line, from the table that `config` and `install` use.
import { PRESETS } from '../../packages/wrap/dist/index.js';
import { code, table } from './markdown.mjs';

export function presetTable() {
  const rows = PRESETS.map(({ server, args, source }) => [
    code(server),
    code(args.join(' ')),
    `[its documentation](${source})`,
  ]);
  return table(['server', 'what is added', 'source'], rows);
}
