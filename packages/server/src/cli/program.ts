import { createProgram, DEFAULT_COMMAND } from './create-program.js';
import { FINE } from './output/terminal.js';
import type { Terminal } from './output/terminal.js';

/** Runs one command line. Resolves to the exit code, or to undefined while a server lives on. */
export async function runCommandLine(
  argv: readonly string[],
  terminal: Terminal,
): Promise<number | undefined> {
  let outcome: number | undefined = FINE;
  const program = createProgram(terminal, (code) => {
    outcome = code;
  });
  try {
    if (asksForHelp(argv)) {
      const { checkTopic, dressHelp } = await import('./help/dress-help.js');
      checkTopic(program, argv);
      dressHelp(program, DEFAULT_COMMAND, terminal);
    }
    await program.parseAsync([...argv], { from: 'user' });
    return outcome;
  } catch (error) {
    const { reportError } = await import('./report-error.js');
    return reportError(error, program, argv, terminal);
  }
}

function asksForHelp(argv: readonly string[]): boolean {
  return argv[0] === 'help' || argv.includes('--help') || argv.includes('-h');
}
