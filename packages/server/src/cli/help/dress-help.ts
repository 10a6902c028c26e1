import type { Command, Help, Option } from 'commander';
import { suggest } from '@rootward/core/platform';
import { OPTIONS } from '../../settings/values/options.js';
import { RootwardServerError } from '../../error.js';
import { alignRows, MIN_WIDTH } from '../output/align-rows.js';
import { painter, type Paint } from '../output/paint.js';
import { displayFor, type Terminal } from '../output/terminal.js';
import { ownCommandHere } from '../install/own-program.js';
import { asTyped, EXAMPLES } from './examples.js';

/** Longer lines are hard to read, however wide the display is. */
const MAX_WIDTH = 100;
/** As wide as pages and mails are. */
const UNSEEN_WIDTH = 80;
/** The blanks beside the two columns of an example. */
const MARGINS = 4;

/** The parser would answer `help rots` with the whole help, as an error. */
export function checkTopic(program: Command, [command, topic]: readonly string[]): void {
  if (command !== 'help' || topic === undefined || topic.startsWith('-')) return;
  const names = [...program.commands.map((each) => each.name()), 'help'];
  if (names.includes(topic)) return;
  const hint = suggest(topic, names) || `; there are ${names.join(', ')}`;
  throw new RootwardServerError(
    'usage',
    `Cannot help with ${JSON.stringify(topic)}: it is not a command${hint}`,
  );
}

/** Formats the help of the program and of every command, and adds examples. */
export function dressHelp(program: Command, defaultCommand: string, terminal: Terminal): void {
  const { columns, colors } = displayFor(terminal, 'out');
  const paint = painter({ colors });
  const width = Math.min(columns ?? UNSEEN_WIDTH, MAX_WIDTH);
  const own = ownCommandHere(terminal.start);
  const examples = (name: string): string => examplesOf(name, own, paint, width);
  program.usage('[command] [options] [directories...]').addHelpText('after', () => {
    const more = [['Without a command it serves. Those options:'], [`  ${own} ${defaultCommand} --help`]];
    return `${examples('')}\n${alignRows(more, { paint }).trimEnd()}`;
  });
  for (const command of [program, ...program.commands]) {
    command.configureHelp({
      helpWidth: width,
      minWidthToWrap: MIN_WIDTH,
      styleTitle: (text) => paint('title', text),
      styleOptionText: (text) => paint('name', text),
      styleArgumentText: (text) => paint('name', text),
      styleSubcommandText: (text) => paint('name', text),
      styleCommandText: (text) => paint('name', text),
      commandUsage: (sub) => [own, ...(sub === program ? [] : [sub.name()]), sub.usage()].join(' '),
      subcommandTerm: (sub) => [sub.name(), ...sub.registeredArguments.map(termOf)].join(' '),
      optionDescription: describeOption,
      argumentDescription: ({ description }) => description,
    } satisfies Partial<Help>);
    command.configureOutput({ getOutHasColors: () => colors });
    if (command !== program) command.addHelpText('after', () => examples(command.name()).trimEnd());
  }
}

function termOf(argument: {
  readonly required: boolean;
  readonly variadic: boolean;
  name(): string;
}): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

/** With its twin in the environment. */
function describeOption(option: Option): string {
  const { flags, description } = option;
  const spec = OPTIONS.find((each) => each.flag === flags && each.description === description);
  return spec === undefined ? description : `${description} [${spec.variable}]`;
}

function examplesOf(command: string, own: string, paint: Paint, columns: number): string {
  const examples = (EXAMPLES[command] ?? []).map(({ run, does }) => ({ run: asTyped(run, own), does }));
  const widest = Math.max(...examples.map(({ run }) => run.length));
  const sideBySide = columns - widest - MARGINS >= MIN_WIDTH;
  const how = { paint, columns, indent: '  ' };
  const lines = sideBySide
    ? alignRows(
        examples.map(({ run, does }) => [{ text: run, tone: 'name' }, does]),
        how,
      )
    : examples.map(({ run, does }) => `  ${paint('name', run)}\n${alignRows([['', does]], how)}`).join('');
  return `\n${paint('title', 'Examples:')}\n${lines}`;
}
