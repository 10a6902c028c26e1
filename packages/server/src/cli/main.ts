import { isatty } from 'node:tty';
import { HANDLE_KEY_VARIABLE, STORE_VARIABLE, TOKEN_VARIABLE } from '../settings/from-environment.js';
import { forgetSecrets } from './forget-secrets.js';
import { currentDirectory, homeDirectory } from './process-directories.js';
import { runCommandLine } from './program.js';
import { displayOf } from './output/display.js';
import { FAILED } from './output/terminal.js';

const STDIN = 0;

/**
 * Starts the program. Secrets are taken out of the environment first, since children inherit it and others can look at
 * it.
 */
export async function main(program: string | undefined): Promise<void> {
  const environment = { ...process.env };
  forgetSecrets([TOKEN_VARIABLE, HANDLE_KEY_VARIABLE, STORE_VARIABLE]);
  const code = await runCommandLine(process.argv.slice(2), {
    out: writerTo(() => process.stdout, reportLoss),
    err: writeRemark,
    interactive: isatty(STDIN),
    ask: askAtTerminal,
    start: {
      environment,
      home: homeDirectory(),
      directory: currentDirectory(environment),
      program,
      command: process.argv[1],
    },
    display: (stream) => displayOf(stream === 'out' ? process.stdout : process.stderr, environment),
  });
  // Not process.exit: what was written to a pipe may still be on its way.
  if (code !== undefined) process.exitCode ??= code;
}

/** The question goes to stderr, since stdout may be read by a program. A closed stdin is an empty answer. */
async function askAtTerminal(question: string): Promise<string> {
  const { createInterface } = await import('node:readline');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  return await new Promise((resolve) => {
    lines.once('close', () => resolve(''));
    lines.question(question, (answer) => {
      resolve(answer);
      lines.close();
    });
  });
}

/** Remarks that cannot be written are dropped; the command itself goes on. */
const writeRemark = writerTo(
  () => process.stderr,
  () => undefined,
);

/** The reader may stop before the end, as `head` does; that is not a failure. A full disk is one. */
function reportLoss({ code, message }: NodeJS.ErrnoException): void {
  if (code === 'EPIPE') return;
  process.exitCode = FAILED;
  writeRemark(`rootward: Cannot write to stdout: ${message}\n`);
}

function writerTo(
  stream: () => NodeJS.WriteStream,
  onError: (error: NodeJS.ErrnoException) => void,
): (text: string) => void {
  let guarded = false;
  return (text) => {
    if (!guarded) {
      guarded = true;
      stream().on('error', onError);
    }
    stream().write(text);
  };
}
