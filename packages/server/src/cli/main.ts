import { isatty } from 'node:tty';
import { HANDLE_KEY_VARIABLE, TOKEN_VARIABLE } from '../configuration/from-environment.js';
import { currentDirectory, homeDirectory } from './places.js';
import { runCommandLine } from './program.js';
import { screenOf } from './screen.js';

const STDIN = 0;

/** Starts the program. Secrets are taken out of the environment first, since children inherit it. */
export async function main(program: string | undefined): Promise<void> {
  const environment = { ...process.env };
  delete process.env[TOKEN_VARIABLE];
  delete process.env[HANDLE_KEY_VARIABLE];
  const code = await runCommandLine(process.argv.slice(2), {
    out: writerTo(() => process.stdout),
    err: writerTo(() => process.stderr),
    interactive: isatty(STDIN),
    around: { environment, home: homeDirectory(), directory: currentDirectory(environment), program },
    screen: (stream) => screenOf(stream === 'out' ? process.stdout : process.stderr, environment),
  });
  // Not process.exit: what was written to a pipe may still be on its way.
  if (code !== undefined) process.exitCode = code;
}

/** Whoever reads may stop before the end, as `head` does; that is no failure. */
function writerTo(stream: () => NodeJS.WriteStream): (text: string) => void {
  let guarded = false;
  return (text) => {
    if (!guarded) {
      guarded = true;
      stream().on('error', (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EPIPE') throw error;
      });
    }
    stream().write(text);
  };
}
