import { readFileSync } from 'node:fs';
import { createProgram } from '../../packages/server/dist/cli/create-program.js';
import { OPTIONS } from '../../packages/server/dist/settings/values/options.js';
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

/** The commands, as the parser knows them. */
export function commandTable() {
  const program = createProgram({}, () => undefined);
  const commands = program.createHelp().visibleCommands(program);
  const rows = commands.map((command) => [
    code(`rootward ${command.name()} ${command.usage()}`),
    plain(command.description()),
  ]);
  return table(['command', 'what it does'], rows);
}
