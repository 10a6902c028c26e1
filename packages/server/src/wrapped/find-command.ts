import { accessSync, constants, statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { describeSkipped, expandHome, searchProgram } from '@rootward/core/platform';
import { RootwardServerError } from '../error.js';

/** Where a command line was typed. */
interface Start {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly directory: string;
}

/** The program of a wrapped server and its arguments, such that they mean the same wherever it is started. */
export async function findCommand(
  [command, ...args]: readonly string[],
  start: Start,
  { mustExist = true }: { readonly mustExist?: boolean } = {},
): Promise<{ readonly command: string; readonly args: readonly string[] }> {
  if (command === undefined || command === '') {
    throw new RootwardServerError(
      'usage',
      'Cannot wrap: the command of the server is missing; write it last, after two dashes (--)',
    );
  }
  return {
    command: mustExist ? findExecutable(command, start) : placed(command, start),
    args: args.map((arg) => fixed(arg, start.directory)),
  };
}

/** For a configuration, which may be for another machine. */
function placed(command: string, { home, directory }: Start): string {
  return /[\\/]/.test(command) ? resolve(directory, expandHome(command, home)) : command;
}

/**
 * By its path, or by its name. The name is looked up here once: started by name in a folder of the client, it would be
 * looked up again there.
 */
function findExecutable(command: string, { environment, home, directory }: Start): string {
  if (/[\\/]/.test(command)) {
    const path = resolve(directory, expandHome(command, home));
    if (!isFile(path)) throw notFound(command, `${path} is not a file`);
    if (!isExecutable(path)) {
      throw notFound(
        command,
        `${path} is not executable; put the program that runs it in front, or run chmod +x`,
      );
    }
    return path;
  }
  // Not canonical: many programs look at the name they are called by.
  const { found, skipped } = searchProgram(command, { environment, roots: [] });
  if (found !== undefined) return found.path;
  const instruction = skipped.length === 0 ? '' : '; write its path if you want that one';
  throw notFound(command, `no folder of PATH has it${describeSkipped(skipped)}${instruction}`);
}

/**
 * The server is started in a folder of the client, and `node dist/server.js` names a file where the operator stands.
 * Folders stay as they are: `.` means wherever it runs.
 */
function fixed(arg: string, directory: string): string {
  if (arg.startsWith('-') || isAbsolute(arg)) return arg;
  const path = resolve(directory, arg);
  return isFile(path) ? path : arg;
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** On Windows, every file. */
function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function notFound(command: string, reason: string): RootwardServerError {
  return new RootwardServerError('usage', `Cannot run ${JSON.stringify(command)}: ${reason}`);
}
