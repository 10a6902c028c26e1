import { accessSync, constants, readFileSync, realpathSync } from 'node:fs';
import { basename, delimiter, dirname, isAbsolute, join, relative } from 'node:path';
import { quoteForShell } from '../output/quote-for-shell.js';
import { valueAt } from './formats/edit.js';
import type { Environment } from '../../settings/from-environment.js';

/** A program and its first arguments. */
export interface ProgramCommand {
  readonly command: string;
  readonly args: readonly string[];
}

const PACKAGE = 'rootward';
const SCRIPT = 'rootward.cjs';
/** Where npm puts the programs of the packages of a project. */
const LOCAL_PROGRAMS = join('node_modules', '.bin');
const FROM_REGISTRY: ProgramCommand = { command: 'npx', args: ['-y', PACKAGE] };

/**
 * How a client starts this very program. `folder` is where it runs from.
 *
 * `npx -y rootward` only where npm noted that it fetched this package from a registry, since elsewhere nothing says
 * that a registry has it. A clone, a tarball and other package managers get the path of the script, which is there.
 */
export function ownProgram(folder: string | undefined): ProgramCommand {
  if (folder === undefined || isFromRegistry(dirname(folder))) return FROM_REGISTRY;
  return { command: 'node', args: [join(folder, SCRIPT)] };
}

/** How this program was started. */
export interface OwnStart {
  readonly environment: Environment;
  readonly program: string | undefined;
  /** The script that was called, as it was called. */
  readonly command?: string | undefined;
}

/** What to type to run this program from any folder: its name if that is on PATH, else the whole command. */
export function ownCommandLine({ environment, program }: Pick<OwnStart, 'environment' | 'program'>): string {
  if (program !== undefined && isOnPath(environment, program)) return PACKAGE;
  const { command, args } = ownProgram(program);
  return [command, ...args].map(quoteForShell).join(' ');
}

/**
 * The same in the folder it was started in, where a shorter line may do. Every command that is printed begins with it;
 * what is written into files begins with `ownCommandLine`.
 */
export function ownCommandHere(start: OwnStart & { readonly directory: string }): string {
  const line = ownCommandLine(start);
  const { program, directory } = start;
  if (program === undefined || line === PACKAGE) return line;
  if (isLocalNpx(start)) return `npx ${PACKAGE}`;
  const { command, args } = ownProgram(program);
  const [script = ''] = args;
  const near = relative(directory, script);
  // From a folder far away the whole path is easier to read, and `..` after a link leads elsewhere.
  if (script !== join(program, SCRIPT) || near.startsWith('..') || near.length >= script.length) return line;
  return [command, near].map(quoteForShell).join(' ');
}

/** Called as `npx rootward` in a project that has it, or below: npx finds it there again. */
function isLocalNpx({
  environment,
  command = '',
  directory,
}: OwnStart & { readonly directory: string }): boolean {
  const bin = dirname(command);
  if (environment['npm_command'] !== 'exec' || !bin.endsWith(LOCAL_PROGRAMS)) return false;
  const project = bin.slice(0, -LOCAL_PROGRAMS.length - 1);
  const below = relative(project, directory);
  return project !== '' && !below.startsWith('..') && !isAbsolute(below);
}

/** npm keeps a list of what it put into a `node_modules` folder, with the address each package came from. */
function isFromRegistry(packageFolder: string): boolean {
  const modules = dirname(packageFolder);
  if (basename(packageFolder) !== PACKAGE || basename(modules) !== 'node_modules') return false;
  try {
    const list: unknown = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8'));
    const resolved = valueAt(list, ['packages', `node_modules/${PACKAGE}`, 'resolved']);
    return typeof resolved === 'string' && /^https?:\/\/.*\/rootward\/-\/rootward-[^/]+\.tgz$/.test(resolved);
  } catch {
    return false;
  }
}

/** Whether `rootward`, typed into a shell, is this program and no other. */
function isOnPath({ PATH = '' }: Environment, folder: string): boolean {
  const found = PATH.split(delimiter)
    // npm puts its own folders there while a script runs; the shell that called it does not have them.
    .filter((place) => place !== '' && !place.endsWith(LOCAL_PROGRAMS))
    .map((place) => join(place, PACKAGE))
    .find(isExecutable);
  // What npm links to loads the script, which it could not link to before it was built.
  const own = [join(folder, SCRIPT), join(dirname(folder), 'bin', SCRIPT)].map(realOf);
  return found !== undefined && own.includes(realOf(found));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function realOf(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    return undefined;
  }
}
