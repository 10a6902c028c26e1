import { constants } from 'node:fs';
import { join } from 'node:path';
import { findMarkers, locateRepository, readStart, type Repository } from './repository.js';

/** What can be said of a directory's repository without running git. For people; it grants nothing. */
export interface RepositoryFacts extends Repository {
  /** The working tree is one of several; their history is in the repository at `path`. */
  readonly worktree: boolean;
  /** The branch that is checked out; absent when a commit is checked out without one. */
  readonly branch?: string;
  /** The commit that is checked out without a branch. */
  readonly commit?: string;
}

/** The repository a directory belongs to, read without running git; undefined where there is none. */
export function describeRepository(directory: string): RepositoryFacts | undefined {
  const located = locateRepository(findMarkers(directory));
  if (located === undefined) return undefined;
  const { top, path, store } = located;
  return { top, path, worktree: top !== path, ...readHead(store) };
}

type Head = Pick<RepositoryFacts, 'branch' | 'commit'>;

/**
 * A link is not followed, and only the two valid forms of a head are returned: an untrusted folder must not make us
 * show the contents of another file.
 */
function readHead(store: string): Head {
  const text = readStart(join(store, 'HEAD'), constants.O_NOFOLLOW ?? 0)?.trimEnd() ?? '';
  const branch = /^ref: refs\/heads\/(.+)$/.exec(text)?.[1];
  if (branch !== undefined) return isBranchName(branch) ? { branch } : {};
  return /^(?:[\da-f]{40}|[\da-f]{64})$/.test(text) ? { commit: text } : {};
}

/** Longer names are not shown. */
const MAX_BRANCH_LENGTH = 250;

/** The same restrictions as in git, so that a name cannot add lines to a text or break out of it. */
function isBranchName(text: string): boolean {
  return text.length <= MAX_BRANCH_LENGTH && !/[\p{Cc}\p{Cs} ~^:?*[\\]|\.\.|@\{|\/\//u.test(text);
}
