import { closeSync, existsSync, openSync, readSync } from 'node:fs';

/** As much of a first line as systems read. */
const FIRST_LINE_BYTES = 256;

/** Why an executable did not start. Of what is missing, Node names the executable, whatever it is. */
export function whyNotStarted(
  error: unknown,
  { file, cwd }: { readonly file: string; readonly cwd: string },
): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  if (!('code' in error) || error.code !== 'ENOENT') return error;
  if (!existsSync(file)) return new Error('it is no longer there', { cause: error });
  if (!existsSync(cwd)) return new Error(`${cwd}, where it runs, does not exist`, { cause: error });
  const interpreter = interpreterOf(file);
  // What is missing may also be what the interpreter itself asks for.
  if (interpreter === undefined || existsSync(interpreter)) return error;
  const hint = interpreter.endsWith('\r') ? ' (it has the line ends of Windows)' : '';
  const message = `its first line asks for ${JSON.stringify(interpreter)}, which does not exist${hint}`;
  return new Error(message, { cause: error });
}

function interpreterOf(file: string): string | undefined {
  try {
    const descriptor = openSync(file, 'r');
    try {
      const start = Buffer.alloc(FIRST_LINE_BYTES);
      const text = start.toString('utf8', 0, readSync(descriptor, start));
      return /^#![ \t]*([^ \t\n]+)/.exec(text)?.[1];
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
}
