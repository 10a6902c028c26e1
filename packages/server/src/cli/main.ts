import { homedir } from 'node:os';
import { isatty } from 'node:tty';
import { HANDLE_KEY_VARIABLE, TOKEN_VARIABLE } from '../configuration/from-environment.js';
import { runCommandLine } from './program.js';

const STDIN = 0;

/** Starts the program. Secrets are taken out of the environment first, since children inherit it. */
export async function main(program: string | undefined): Promise<void> {
  const environment = { ...process.env };
  delete process.env[TOKEN_VARIABLE];
  delete process.env[HANDLE_KEY_VARIABLE];
  const code = await runCommandLine(process.argv.slice(2), {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    interactive: isatty(STDIN),
    around: { environment, home: homedir(), directory: process.cwd(), program },
  });
  // Not process.exit: what was written to a pipe may still be on its way.
  if (code !== undefined) process.exitCode = code;
}
