import { constants, realpathSync } from 'node:fs';
import { access, realpath } from 'node:fs/promises';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { hostPathStyle } from '../uri/path-style.js';
import { WorkspaceFolders } from './workspace-folders.js';

/** The variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where `findProgram` looks, and what it skips. */
export interface FindProgramOptions {
  readonly environment: Environment;
  /** Programs in these folders are never used. */
  readonly roots: readonly { readonly path: string }[];
  /** Paths tried before `PATH`. */
  readonly candidates?: readonly string[] | undefined;
}

/**
 * Finds a helper program by name and returns its canonical path. Programs of the workspace are skipped, whatever name
 * they are found under: the workspace must not decide what runs here. Does NOT look in the current directory, whatever
 * `PATH` says.
 */
export async function findProgram(
  name: string,
  { environment, roots, candidates = [] }: FindProgramOptions,
): Promise<string | undefined> {
  const workspace = new WorkspaceFolders(roots);
  for (const path of [...candidates, ...programCandidates(name, environment)]) {
    const program = await canonicalProgram(path);
    if (program === undefined || workspace.owns(program)) continue;
    // A link that leads out of the workspace was still chosen by the workspace.
    if (!workspace.owns(canonicalOr(dirname(path)))) return program;
  }
  return undefined;
}

/** The paths where a program may be: one for each absolute folder of `PATH`, in order. */
export function programCandidates(name: string, environment: Environment): readonly string[] {
  const file = hostPathStyle === 'windows' ? `${name}.exe` : name;
  return searchFolders(environment).map((folder) => join(folder, file));
}

/** The absolute folders of `PATH`. Relative ones depend on the current directory and are left out. */
function searchFolders(environment: Environment): readonly string[] {
  return (environment['PATH'] ?? environment['Path'] ?? '').split(delimiter).filter(isAbsolute);
}

/** Undefined if there is no such file, or it cannot be executed. */
async function canonicalProgram(path: string): Promise<string | undefined> {
  try {
    const program = await realpath(path);
    await access(program, constants.X_OK);
    return program;
  } catch {
    return undefined;
  }
}

/**
 * Whether someone who can write to the workspace decides what this program is: it lies in a root, in the repository of
 * one, in a `node_modules` above one, or in a virtual environment beside or above one. `path` must be canonical.
 */
export function isWorkspaceProgram(path: string, roots: readonly { readonly path: string }[]): boolean {
  return new WorkspaceFolders(roots).owns(path);
}

/**
 * A `PATH` without the folders of the workspace and without relative ones; undefined where nothing is left, since an
 * empty `PATH` means the current directory.
 */
export function pathOutside(path: string, roots: readonly { readonly path: string }[]): string | undefined {
  const workspace = new WorkspaceFolders(roots);
  const kept = path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !workspace.owns(canonicalOr(folder)));
  return kept.length === 0 ? undefined : kept.join(delimiter);
}

function canonicalOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
