import { CommanderError, type Command } from 'commander';
import { RootwardError } from '@rootward/core';
import { nearestMatch } from '@rootward/core/platform';
import { RootwardServerError } from '../error.js';
import { errnoReason } from '../settings/values/errno-reason.js';
import { DEFAULT_COMMAND } from './create-program.js';
import { ownCommandHere } from './install/own-program.js';
import { harmless, painter } from './output/paint.js';
import { FAILED, FINE, printJson, displayFor, WRONG_USE, type Terminal } from './output/terminal.js';

/** What went wrong, in the shape `--json` prints. */
interface Report {
  readonly code: string;
  readonly message: string;
  readonly exitCode: number;
  /** The command whose help says more. */
  readonly help?: string;
}

/** Says what went wrong, and returns the exit code. */
export function reportError(
  error: unknown,
  program: Command,
  argv: readonly string[],
  terminal: Terminal,
): number {
  // Help and the version end a command line early, too.
  if (error instanceof CommanderError && error.exitCode === 0) return FINE;
  const { code, message, exitCode, help } = describe(error, program, argv, () =>
    ownCommandHere(terminal.start),
  );
  if (argv.includes('--json')) {
    printJson(terminal, { error: { code, message } });
    return exitCode;
  }
  const paint = painter(displayFor(terminal, 'err'));
  terminal.err(`${paint('bad', 'rootward:')} ${harmless(message)}\n`);
  if (help !== undefined) terminal.err(`${paint('quiet', `See: ${help}`)}\n`);
  return exitCode;
}

/** `own`: what runs this program, looked for only where a command is told of. */
function describe(error: unknown, program: Command, argv: readonly string[], own: () => string): Report {
  if (error instanceof CommanderError) return describeUse(error, program, argv, own);
  if (error instanceof RootwardServerError) {
    const { code, message } = error;
    return { code, message, exitCode: code === 'listen' || code === 'store' ? FAILED : WRONG_USE };
  }
  // What the operator named cannot be used.
  if (error instanceof RootwardError) {
    const message = `${error.message}${commandHint(error.path, program, argv, own)}`;
    return { code: error.code, message, exitCode: WRONG_USE };
  }
  // Such as a key in the environment that is too short.
  if (error instanceof Error && 'code' in error && error.code === 'invalid-option') {
    return { code: error.code, message: error.message, exitCode: WRONG_USE };
  }
  return { code: 'failed', message: messageOf(error), exitCode: FAILED };
}

/** The parser says `error: unknown option '--jsn'\n(Did you mean --json?)`; in our words and on one line. */
function describeUse(
  { code, message }: CommanderError,
  program: Command,
  argv: readonly string[],
  own: () => string,
): Report {
  const [first = ''] = argv;
  const known = program.commands.some((command) => command.name() === first);
  const name = known ? first : DEFAULT_COMMAND;
  const used = program.commands.find((command) => command.name() === name);
  const options = ['--help', ...(used?.options.flatMap(({ long }) => long ?? []) ?? [])];
  const text = message.replace(/^error: /, '').replace(/\n\(Did you mean (.*)\?\)$/s, '; did you mean $1?');
  return {
    code: 'usage',
    message: explainUse(code, text, name, options),
    exitCode: WRONG_USE,
    help: `${own()} ${name} --help`,
  };
}

function explainUse(code: string, text: string, name: string, options: readonly string[]): string {
  const command = JSON.stringify(name);
  const culprit = /'([^']*)'/.exec(text)?.[1] ?? '';
  switch (code) {
    case 'commander.unknownOption': {
      // The value after it may be a token, and would make the nearest option harder to find.
      const flag = culprit.split('=', 1)[0] ?? culprit;
      if (options.includes(flag)) return `Cannot use ${flag} with a value: it takes none`;
      const match = nearestMatch(flag, options);
      return `Cannot use ${flag}: ${command} has no such option${match === undefined ? '' : `; did you mean ${match}?`}`;
    }
    case 'commander.optionMissingArgument':
      return `Cannot use ${culprit.split(' ', 1)[0] ?? culprit}: its value is missing; write ${culprit}`;
    case 'commander.missingArgument':
      return `Cannot run ${command}: <${culprit}> is missing`;
    case 'commander.excessArguments': {
      const [most = '', got = ''] = text.match(/\d+/g) ?? [];
      if (most === '0') return `Cannot run ${command}: it takes no arguments`;
      const hint = EXCESS_HINTS[name] ?? 'quote what has blanks in it';
      return `Cannot run ${command}: it takes ${most} and got ${got} arguments; ${hint}`;
    }
    default:
      return `Cannot run ${command}: ${text}`;
  }
}

/** What someone who passes too many arguments most likely wanted. */
const EXCESS_HINTS: Readonly<Record<string, string>> = {
  contains: 'ask for one path at a time',
  'run-tool': 'the arguments of the tool go into --args',
};

/** `rootward docter` reads as the folder `docter`; most likely it was meant as a command. */
function commandHint(
  path: string | undefined,
  program: Command,
  argv: readonly string[],
  own: () => string,
): string {
  const commands = [...program.commands.map((command) => command.name()), 'help'];
  if (path === undefined || /[\\/.]/.test(path)) return '';
  const command = nearestMatch(path, commands);
  if (command !== undefined) return `; did you mean the command "${command}"?`;
  return argv[0] === path ? `; the commands are listed by: ${own()} --help` : '';
}

/** Errors of the disk name the path, but not in words. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { path } = error as NodeJS.ErrnoException;
  const reason = errnoReason(error);
  return reason === undefined || path === undefined ? error.message : `Cannot use ${path}: ${reason}`;
}
