import * as z from 'zod';
import { SYNONYMS } from '../../packages/server/dist/tools/framework/read-arguments.js';
import { toolsets } from '../../packages/server/dist/tools/toolsets.js';
import { code, plain, table } from './markdown.mjs';

/** All tools, by toolset. */
export function toolTable() {
  const rows = Object.entries(toolsets).flatMap(([name, tools]) =>
    tools.map((tool) => [code(name), code(tool.name), plain(tool.description), effectOf(tool.annotations)]),
  );
  const yours = [
    code('exec'),
    '*yours*',
    'One tool for each executable of the project named with `--project`.',
    'as it says',
  ];
  return table(['toolset', 'tool', 'what it does', 'effect'], [...rows, yours]);
}

function effectOf({ readOnlyHint, destructiveHint }) {
  if (readOnlyHint) return 'reads';
  return destructiveHint ? 'changes, can destroy' : 'changes';
}

/** The arguments of every tool; those with a question mark may be left out. */
export function argumentTable() {
  const rows = Object.values(toolsets)
    .flat()
    .map((tool) => [code(tool.name), argumentsOf(tool)]);
  return table(['tool', 'arguments'], rows);
}

function argumentsOf({ input }) {
  const { properties = {}, required = [] } = z.toJSONSchema(input(), { io: 'input' });
  return Object.entries(properties)
    .map(([name, schema]) => {
      const mark = required.includes(name) ? '' : '?';
      const note = schema.description === undefined ? '' : ` (${plain(schema.description)})`;
      return `${code(`${name}${mark}: ${typeOf(schema)}`)}${note}`;
    })
    .join(', ');
}

function typeOf(schema) {
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.type === 'array') return `${typeOf(schema.items)}[]`;
  if (schema.type === 'object') return `{ ${Object.keys(schema.properties ?? {}).join(', ')} }`;
  return schema.type ?? 'any';
}

/** The names of other tools that are accepted, by the argument that they mean. */
export function synonymTable() {
  const meant = new Map();
  for (const [name, all] of Object.entries(SYNONYMS)) {
    const key = all.map(code).join(' or ');
    meant.set(key, [...(meant.get(key) ?? []), code(name)]);
  }
  const rows = [...meant].map(([key, names]) => [names.join(', '), key]);
  const lines = [[code('start_line'), code('end_line')].join(', '), `${code('offset')} and ${code('limit')}`];
  return table(['given', 'means'], [...rows, lines]);
}
