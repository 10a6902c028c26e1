import { readFileSync } from 'node:fs';
import { runCommandLine } from '../../packages/server/dist/cli/program.js';
import { OPTIONS } from '../../packages/server/dist/configuration/options.js';
import { code, plain, table } from './markdown.mjs';

/** The options of `rootward serve`. */
export function optionTable() {
  const rows = OPTIONS.map(({ flag, variable, description }) => [
    code(flag),
    code(variable),
    plain(description),
  ]);
  return table(['flag', 'environment', 'what it does'], rows);
}

/** The members of `rootward.json`, from the schema that editors get. */
export function configurationTable() {
  const schema = new URL('../../packages/server/schema/rootward.schema.json', import.meta.url);
  const { properties } = JSON.parse(readFileSync(schema, 'utf8'));
  const rows = Object.entries(properties).map(([name, { description = '' }]) => [
    code(name),
    plain(description),
  ]);
  return table(['member', 'what it does'], rows);
}

/** The commands, as the help lists them. */
export async function commandTable() {
  const lines = (await help()).split('\n');
  const entries = [];
  for (const line of lines.slice(lines.indexOf('Commands:') + 1)) {
    const entry = /^ {2}(\S.*?)(?: {2,}(.*))?$/.exec(line);
    if (entry !== null) entries.push([entry[1], entry[2] ?? '']);
    else if (line.trim() !== '') entries.at(-1)[1] += ` ${line.trim()}`;
  }
  const rows = entries.map(([usage, what]) => [code(`rootward ${usage}`), plain(what.trim())]);
  return table(['command', 'what it does'], rows);
}

async function help() {
  let text = '';
  const around = { environment: {}, home: '/', directory: '/', program: undefined };
  const out = (chunk) => {
    text += chunk;
  };
  await runCommandLine(['--help'], { out, err: out, interactive: false, around });
  return text;
}
