import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { hostPathStyle } from '../uri/path-style.js';
import { isInSystemTree, ProgramPlaces, SYSTEM_PROGRAM_FOLDERS } from './program-places.js';
import { WorkspaceFolders } from './workspace-folders.js';

/** The variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where `searchProgram` looks, and what it skips. */
export interface FindProgramOptions {
  readonly environment: Environment;
  /** Programs in these folders are never used. Undefined while they are not known: then only the system's programs are. */
  readonly roots: readonly { readonly path: string }[] | undefined;
  /** Paths of programs that came along with this one, tried before `PATH`. Only `roots` counts against them. */
  readonly candidates?: readonly string[] | undefined;
}

/** A program that was found and not used. */
export interface SkippedProgram {
  readonly path: string;
  readonly reason: string;
}

/** The outcome of a search. */
export interface ProgramSearch {
  readonly found: { readonly path: string; readonly canonical: string } | undefined;
  readonly skipped: readonly SkippedProgram[];
}

/** Folders that the operator names for programs, tried before `PATH`. Only the roots count against them. */
export const PROGRAM_FOLDERS_VARIABLE = 'ROOTWARD_PROGRAM_FOLDERS';

/**
 * Searches for a helper program by name. Every program that runs on our own account is found here, since the workspace
 * must not decide what runs. Skipped are programs in, or linked from, a root and what belongs to one, the directory of
 * this process, any `node_modules/.bin`, and folders that other users can change. Does NOT look at relative folders.
 */
export function searchProgram(
  name: string,
  { environment, roots, candidates = [] }: FindProgramOptions,
): ProgramSearch {
  const workspace = new WorkspaceFolders(roots ?? []);
  const places = new ProgramPlaces(roots ?? []);
  const skipped: SkippedProgram[] = [];
  for (const path of [...candidates, ...namedCandidates(name, environment)]) {
    const canonical = executable(path);
    if (canonical === undefined) continue;
    if (!workspace.owns(canonical)) return { found: { path, canonical }, skipped };
    skipped.push({ path, reason: 'it belongs to a root' });
  }
  const system = roots === undefined ? SYSTEM_PROGRAM_FOLDERS : [];
  for (const folder of new Set([...foldersIn(pathOf(environment)), ...system])) {
    const path = join(folder === '' ? '.' : folder, fileOf(name));
    const canonical = executable(path);
    if (canonical === undefined) continue;
    const reason =
      places.reasonAgainst(folder) ??
      places.reasonAgainst(path) ??
      (roots === undefined ? reasonBeforeRoots(folder, canonical) : undefined);
    if (reason === undefined) return { found: { path, canonical }, skipped };
    skipped.push({ path, reason });
  }
  return { found: undefined, skipped };
}

/** The canonical path of what `searchProgram` finds. */
export function findProgram(name: string, options: FindProgramOptions): string | undefined {
  return searchProgram(name, options).found?.canonical;
}

/** Names what was skipped, for the end of a message; empty where nothing was. */
export function describeSkipped(skipped: readonly SkippedProgram[]): string {
  return skipped.map(({ path, reason }) => `; skipped ${path}: ${reason}`).join('');
}

/** While the roots are not known, any folder of a user may become one. */
function reasonBeforeRoots(folder: string, canonical: string): string | undefined {
  if (SYSTEM_PROGRAM_FOLDERS.includes(folder) && isInSystemTree(canonical)) return undefined;
  return `it is not a program of the system, and its folder may become a root; name the folder in ${PROGRAM_FOLDERS_VARIABLE}`;
}

/** The paths where a program may be in the folders that the operator named. */
export function namedCandidates(name: string, environment: Environment): readonly string[] {
  return foldersIn(environment[PROGRAM_FOLDERS_VARIABLE])
    .filter(isAbsolute)
    .map((folder) => join(folder, fileOf(name)));
}

/** The paths where a program may be: one for each absolute folder of `PATH`, in order. */
export function programCandidates(name: string, environment: Environment): readonly string[] {
  return foldersIn(pathOf(environment))
    .filter(isAbsolute)
    .map((folder) => join(folder, fileOf(name)));
}

function fileOf(name: string): string {
  return hostPathStyle === 'windows' ? `${name}.exe` : name;
}

function pathOf(environment: Environment): string | undefined {
  return environment['PATH'] ?? environment['Path'];
}

function foldersIn(list: string | undefined): readonly string[] {
  return list === undefined || list === '' ? [] : list.split(delimiter);
}

/** The canonical path of a file that can be executed. */
function executable(path: string): string | undefined {
  try {
    const canonical = realpathSync(path);
    accessSync(canonical, constants.X_OK);
    return statSync(canonical).isFile() ? canonical : undefined;
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
 * A `PATH` for children: without the folders that `searchProgram` skips. Undefined where nothing is left, since an empty
 * `PATH` means the current directory.
 */
export function pathOutside(path: string, roots: readonly { readonly path: string }[]): string | undefined {
  const places = new ProgramPlaces(roots);
  const kept = path.split(delimiter).filter((folder) => places.reasonAgainst(folder) === undefined);
  return kept.length === 0 ? undefined : kept.join(delimiter);
}
