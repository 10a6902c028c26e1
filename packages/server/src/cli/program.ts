import { createProgram, DEFAULT_COMMAND } from './create-program.js';
import { FINE, type Terminal } from './output/terminal.js';

/** Runs one command line. Resolves to the exit code, or to undefined while a server lives on. */
export async function runCommandLine(
  argv: readonly string[],
  terminal: Terminal,
): Promise<number | undefined> {
  let outcome: number | undefined = FINE;
  const { own, command } = splitCommand(argv);
  const done = (code: number | undefined): void => {
    outcome = code;
  };
  try {
    const needsHelp = asksForHelp(own);
    const program = createProgram(terminal, done, command, needsHelp ? undefined : own);
    if (needsHelp) {
      const { checkTopic, dressHelp } = await import('./help/dress-help.js');
      checkTopic(program, own);
      dressHelp(program, DEFAULT_COMMAND, terminal);
    }
    await program.parseAsync([...own], { from: 'user' });
    return outcome;
  } catch (error) {
    const { reportError } = await import('./report-error.js');
    return reportError(error, createProgram(terminal, done, command), own, terminal);
  }
}

/** Commands that run another command, given after `--`. */
const RUNNERS: ReadonlySet<string | undefined> = new Set(['sandbox', 'wrap', 'config', 'install', 'doctor']);

/** Our own arguments, and the command after `--`, whose options are not ours. */
function splitCommand(argv: readonly string[]): {
  readonly own: readonly string[];
  readonly command: readonly string[];
} {
  const dashes = RUNNERS.has(argv[0]) ? argv.indexOf('--') : -1;
  if (dashes === -1) return { own: argv, command: [] };
  return { own: argv.slice(0, dashes), command: argv.slice(dashes + 1) };
}

function asksForHelp(argv: readonly string[]): boolean {
  return argv[0] === 'help' || argv.includes('--help') || argv.includes('-h');
}
