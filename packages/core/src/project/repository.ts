import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { childPath } from '../scope/gate/child-path.js';

/**
 * Where a directory's version history lives. For people and for ids: the path may lie outside the roots and grants
 * nothing.
 */
export interface Repository {
  /** The top of the working tree that contains the directory. */
  readonly top: string;
  /** The main repository: the same as `top`, unless that is a worktree. */
  readonly path: string;
}

/** A repository, and the directory that holds the `HEAD` of its working tree. */
export interface LocatedRepository extends Repository {
  readonly store: string;
}

/**
 * Finds the git repository a canonical directory belongs to by looking at `.git` there and above. Never runs git.
 *
 * A worktree's `.git` is a file that names its repository. It counts only if the repository names the worktree, too:
 * otherwise any folder could claim to belong to any repository.
 */
export function findRepository(directory: string): Repository | undefined {
  const located = locateRepository(findMarkers(directory));
  return located === undefined ? undefined : { top: located.top, path: located.path };
}

/** A `.git` in a folder, which may be a repository, lead to one, or neither. */
export interface Marker {
  readonly top: string;
  readonly path: string;
  readonly kind: 'directory' | 'file';
}

/** Those in a canonical directory and in the folders above it, innermost first. Most folders of a disk have none. */
export function findMarkers(directory: string): readonly Marker[] {
  const found: Marker[] = [];
  for (let top = directory, above = dirname(top); ; top = above, above = dirname(top)) {
    const path = childPath(top, '.git');
    const kind = kindOf(path);
    if (kind !== undefined) found.push({ top, path, kind });
    if (top === above) return found;
  }
}

/**
 * The same, with where the state of the working tree is kept. A `.git` file that leads to no repository hides those
 * above it, unless `passesOver`.
 */
export function locateRepository(
  markers: readonly Marker[],
  passesOver = false,
): LocatedRepository | undefined {
  for (const { top, path, kind } of markers) {
    if (kind === 'directory') return { top, path: top, store: path };
    const main = findMainRepository(path);
    if (main !== undefined) return { top, ...main };
    if (!passesOver) return undefined;
  }
  return undefined;
}

function findMainRepository(marker: string): Pick<LocatedRepository, 'path' | 'store'> | undefined {
  const pointer = /^gitdir: (.+)$/m.exec(readStart(marker) ?? '')?.[1];
  if (pointer === undefined) return undefined;
  try {
    // All paths are physical: with a link in between, the folder could choose where its own pointer leads.
    const entry = realpathSync.native(resolve(dirname(marker), pointer.trim()));
    if (basename(dirname(entry)) !== 'worktrees') return undefined;
    const back = readStart(join(entry, 'gitdir'))?.trim();
    if (back === undefined || back === '') return undefined;
    // The marker itself is not resolved: otherwise, a link to the `.git` of a real worktree would count as that
    // worktree.
    const own = join(realpathSync.native(dirname(marker)), basename(marker));
    if (realpathSync.native(resolve(entry, back)) !== own) return undefined;
    const main = dirname(dirname(entry));
    return { path: basename(main) === '.git' ? dirname(main) : main, store: entry };
  } catch {
    return undefined;
  }
}

/** A linked worktree that contains a directory, confirmed by its repository or only claimed by its own `.git` file. */
export type LinkedTreeClaim =
  | { readonly confirmed: true; readonly tree: LocatedRepository }
  | { readonly confirmed: false };

/**
 * The deepest linked worktree that contains a directory with these markers. Repositories inside it, such as submodules,
 * do not hide it.
 */
export function findLinkedTree(markers: readonly Marker[]): LinkedTreeClaim | undefined {
  for (const { top, path, kind } of markers) {
    if (kind !== 'file' || !WORKTREE_POINTER.test(readStart(path) ?? '')) continue;
    const main = findMainRepository(path);
    return main === undefined ? { confirmed: false } : { confirmed: true, tree: { top, ...main } };
  }
  return undefined;
}

/** The pointer of a submodule leads to `modules` instead. */
const WORKTREE_POINTER = /^gitdir: .*[\\/]worktrees[\\/][^\\/]+\s*$/m;

/** Also undefined if the disk returns an error: a link to itself in a root must not prevent finding the project. */
function kindOf(path: string): 'directory' | 'file' | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.isDirectory() === true) return 'directory';
    return stats?.isFile() === true ? 'file' : undefined;
  } catch {
    return undefined;
  }
}

/** A pointer is one line; a longer file is not a pointer. */
const POINTER_LENGTH = 4_096;

/** The start of a small text file. Opened without blocking, so that a FIFO in its place cannot hang the server. */
export function readStart(path: string, flags = 0): string | undefined {
  let descriptor: number | undefined;
  try {
    // oxlint-disable-next-line no-bitwise -- open(2) takes a bit mask
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | flags);
    if (!fstatSync(descriptor).isFile()) return undefined;
    const buffer = Buffer.alloc(POINTER_LENGTH);
    return buffer.toString('utf8', 0, readSync(descriptor, buffer, 0, POINTER_LENGTH, 0));
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
