import * as z from 'zod';
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
