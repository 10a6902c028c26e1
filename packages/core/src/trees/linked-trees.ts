import { readdirSync, realpathSync, statSync, type Stats } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { findLinkedTree, findMarkers, locateRepository, readStart } from '../project/repository.js';
import type { Marker, Repository } from '../project/repository.js';

/** A linked worktree that its repository confirms. */
export interface LinkedTree {
  readonly top: string;
  /** Milliseconds since the epoch. */
  readonly addedAt: number;
  readonly usedAt: number;
}

/** A linked worktree that contains a directory: confirmed by its repository, or only claimed. */
export type TreeClaim = Repository | 'unconfirmed' | undefined;

/** What git says about working trees at one moment. Nothing is watched. */
export interface TreeFacts {
  /** The canonical path of a directory; undefined where there is none. */
  canonical(directory: string): string | undefined;
  /** The repository that a canonical directory lies in, and the top of its working tree. */
  repositoryOf(directory: string): Repository | undefined;
  /** The deepest linked worktree that contains a canonical directory. */
  linkedTreeOf(directory: string): TreeClaim;
  /** The linked worktrees of a repository, as far as `isOfInterest`, which is asked before anything is confirmed. */
  linkedTrees(repository: string, isOfInterest: (tree: LinkedTree) => boolean): readonly LinkedTree[];
}

/** In a repository with more, worktrees are not cleaned up; each one costs some file accesses. */
const MAX_TREES = 1000;

/**
 * Reads the facts from the disk, without running git. Each folder is read once, so that simultaneous calls can share
 * the result.
 */
export class GitFacts implements TreeFacts {
  /** The folder that was looked at last: most calls are about one. */
  #last: { readonly directory: string; readonly markers: readonly Marker[] } | undefined;
  #markers: Map<string, readonly Marker[]> | undefined;
  #trees: Map<string, readonly Entry[]> | undefined;

  canonical(directory: string): string | undefined {
    if (!isAbsolute(directory)) return undefined;
    try {
      const path = realpathSync.native(directory);
      return statSync(path).isDirectory() ? path : undefined;
    } catch {
      return undefined;
    }
  }

  repositoryOf(directory: string): Repository | undefined {
    // The `.git` of a submodule leads to no repository of its own, so the one around it counts.
    const located = locateRepository(this.#markersOf(directory), true);
    return located === undefined ? undefined : { top: located.top, path: located.path };
  }

  linkedTreeOf(directory: string): TreeClaim {
    const claim = findLinkedTree(this.#markersOf(directory));
    if (claim === undefined) return undefined;
    return claim.confirmed ? { top: claim.tree.top, path: claim.tree.path } : 'unconfirmed';
  }

  linkedTrees(repository: string, isOfInterest: (tree: LinkedTree) => boolean): readonly LinkedTree[] {
    let trees = this.#trees?.get(repository);
    if (trees === undefined) (this.#trees ??= new Map()).set(repository, (trees = readTrees(repository)));
    return trees.filter((tree) => isOfInterest(tree) && isConfirmed(tree));
  }

  #markersOf(directory: string): readonly Marker[] {
    if (this.#last?.directory === directory) return this.#last.markers;
    if (this.#last !== undefined) (this.#markers ??= new Map()).set(this.#last.directory, this.#last.markers);
    const markers = this.#markers?.get(directory) ?? findMarkers(directory);
    this.#last = { directory, markers };
    return markers;
  }
}

/** A worktree, and the folder in which its repository keeps what belongs to it. */
interface Entry extends LinkedTree {
  readonly entry: string;
}

function readTrees(repository: string): readonly Entry[] {
  return entriesOf(repository).flatMap((entry) => readTree(entry) ?? []);
}

/** The folders in which a repository keeps what belongs to one worktree each. Most repositories have none. */
function entriesOf(repository: string): readonly string[] {
  for (const folder of [join(repository, '.git', 'worktrees'), join(repository, 'worktrees')]) {
    if (statOf(folder)?.isDirectory() !== true) continue;
    try {
      return readdirSync(folder)
        .slice(0, MAX_TREES)
        .map((name) => join(folder, name));
    } catch {
      return [];
    }
  }
  return [];
}

/** What changes when someone works in a tree: its index, its head, and the folder itself. */
const TRACES = ['index', 'HEAD', join('logs', 'HEAD')] as const;

function readTree(entry: string): Entry | undefined {
  const pointer = readStart(join(entry, 'gitdir'))?.trim();
  const added = statOf(entry);
  if (pointer === undefined || pointer === '' || added === undefined) return undefined;
  const top = dirname(resolve(entry, pointer));
  const traces = [top, ...TRACES.map((name) => join(entry, name))].map((path) => statOf(path)?.mtimeMs ?? 0);
  // Some file systems do not keep the time of birth, and say 0 or the time of the last change.
  const addedAt = added.birthtimeMs > 0 ? added.birthtimeMs : added.ctimeMs;
  return { entry, top, addedAt, usedAt: Math.max(added.mtimeMs, ...traces) };
}

function isConfirmed({ top, entry }: Entry): boolean {
  const claim = findLinkedTree(findMarkers(top));
  return claim?.confirmed === true && claim.tree.top === top && sameFolder(claim.tree.store, entry);
}

function sameFolder(canonical: string, path: string): boolean {
  try {
    return realpathSync.native(path) === canonical;
  } catch {
    return false;
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
