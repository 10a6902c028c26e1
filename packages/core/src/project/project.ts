import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { RootwardError } from '../error.js';
import type { Root, Source } from '../roots/root.js';
import { findRepository } from './repository.js';

/** What someone switched to: a root, or only a name, chosen when the roots were those of `epoch`. */
export type ProjectChoice =
  | { readonly kind: 'root'; readonly path: string }
  | { readonly kind: 'name'; readonly name: string; readonly epoch: number };

/** The root the work is about, or only its name. */
export interface Project {
  readonly name: string;
  /** The same for a repository and its worktrees, different for two folders of the same name. */
  readonly id: string;
  /** The directory the work is about; absent for a project that is only a name. */
  readonly path?: string;
  /** Where the directory came from, or `name` for a project that is only a name. */
  readonly source: Source | 'name';
  /** The main repository the directory belongs to. It may lie outside the roots, and grants nothing. */
  readonly repository?: string;
}

/** The project a root or a chosen name stands for; throws when there is neither. */
export function describeProject(root: Root | undefined, choice: ProjectChoice | undefined): Project {
  if (root !== undefined) return projectOf(root);
  if (choice?.kind === 'name') return { name: choice.name, id: choice.name, source: 'name' };
  throw new RootwardError('no-project', NO_PROJECT, {
    instruction: 'Call switch_project with your project name',
  });
}

const NO_PROJECT =
  'Project context not available. Call switch_project with the basename of the current working directory.';

/** Whether a directory can be a project. A whole disk cannot: it has no name. */
export function canBeProject({ path }: Pick<Root, 'path'>): boolean {
  return basename(path) !== '';
}

/**
 * A worktree belongs to its main repository's project; any other directory is a project of its own.
 *
 * @example
 * ```ts
 * import { projectOf } from '@rootward/core';
 *
 * const { name, id } = projectOf({ path: '/home/me/app', source: 'flag' });
 * console.log(name, id);
 * ```
 */
export function projectOf({ path, source }: Pick<Root, 'path' | 'source'>): Project {
  const repository = findRepository(path);
  const home = repository !== undefined && repository.top === path ? repository.path : path;
  // A bare repository, which can have worktrees, too, is usually called `name.git`.
  const name = home === path ? basename(path) : basename(home).replace(/(?<=.)\.git$/, '');
  const project = { name, id: projectId(name, home), path, source };
  return repository === undefined ? project : { ...project, repository: repository.path };
}

/**
 * The id that selects this very directory in `switch_project`, and stays the same whatever its `.git` says. Only a linked
 * worktree has another one than its project, which it shares with the main tree.
 */
export function choiceId({ path }: Pick<Root, 'path'>): string {
  return projectId(basename(path), path);
}

/** The id of the project at a path: its name, a dash, and eight digits made from the path. */
function projectId(name: string, canonicalPath: string): string {
  return `${name}-${createHash('sha256').update(canonicalPath).digest('hex').slice(0, 8)}`;
}
