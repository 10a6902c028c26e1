import { join, relative } from 'node:path';
import type { Root, Source } from '../roots/root.js';
import { containsPath } from '../uri/contains-path.js';
import { hostPathStyle } from '../uri/path-style.js';
import type { Repository } from '../project/repository.js';
import type { LinkedTree, TreeFacts } from './linked-trees.js';

/** Where the caller works: as a hook of its client says (`agent`), or as a handle for a tree says. */
export interface CallerSignal {
  readonly source: 'agent' | 'handle';
  readonly directory: string;
}

/** What is known of the connection that a call came over. */
export interface CallerContext {
  readonly signal: CallerSignal | undefined;
  /** The name with which the client introduced itself. */
  readonly client: string | undefined;
  /** Milliseconds since the epoch. */
  readonly connectedAt: number;
  readonly now: number;
}

/** Which working tree a call belongs to. */
export type Place =
  /** The roots serve the caller as they are. */
  | { readonly kind: 'here'; readonly known: Source | undefined }
  /** These roots of the main tree are replaced by the same folders of a linked one. */
  | { readonly kind: 'moved'; readonly tree: Repository; readonly moves: readonly Move[] }
  /** The tree is not known, or cannot be served: nothing may be resolved against the first root. */
  | { readonly kind: 'unclear'; readonly why: Unclear; readonly trees: readonly string[] };

/** A root of the main tree, and the folder that takes its place for one call. */
export interface Move {
  readonly root: Root;
  /** The same folder in the other tree. */
  readonly path: string;
}

/**
 * `no-signal`: other trees are in use, and nothing says which one the caller works in. `unconfirmed`: the caller's folder
 * claims to be a worktree, and the repository does not confirm it. `elsewhere`: the caller works in a tree of the same
 * repository that the roots do not lead to. `gone`: its folder does not exist. `out-of-reach`: it cannot be a root.
 */
export type Unclear = 'no-signal' | 'unconfirmed' | 'elsewhere' | 'gone' | 'out-of-reach';

const DAY_MS = 24 * 60 * 60_000;
/** The clock of a file system may lag behind that of the process by a tick. */
const CLOCK_LAG_MS = 20;

/** Where clients keep the worktrees they make for their agents, below the top of the main tree. */
const CLIENT_FOLDERS: ReadonlyMap<string, string> = new Map([['claude-code', '.claude/worktrees']]);

/** Sources that say for each call where its caller works. */
const PER_CALL: ReadonlySet<Source> = new Set<Source>(['request', 'handle', 'agent']);

/**
 * Decides which working tree a call belongs to. Grants nothing by itself: the folders of a move are still read,
 * canonicalised and cut to the ceiling. A model that forges a signal gets no more than a hook would.
 */
export function placeCall(roots: readonly Root[], context: CallerContext, facts: TreeFacts): Place {
  const primary = roots.find(({ kind }) => kind === 'directory');
  if (primary === undefined) return HERE;
  const { signal } = context;
  if (signal !== undefined) return placeSignal(roots, signal, context, facts);
  return PER_CALL.has(primary.source)
    ? { kind: 'here', known: primary.source }
    : placeWithoutSignal(primary, context, facts);
}

const HERE: Place = { kind: 'here', known: undefined };

function placeSignal(
  roots: readonly Root[],
  signal: CallerSignal,
  context: CallerContext,
  facts: TreeFacts,
): Place {
  const here: Place = { kind: 'here', known: signal.source };
  const directory = facts.canonical(signal.directory);
  if (directory === undefined) return { kind: 'unclear', why: 'gone', trees: [signal.directory] };
  const tree = facts.linkedTreeOf(directory);
  if (tree === 'unconfirmed') return { kind: 'unclear', why: 'unconfirmed', trees: [signal.directory] };
  const directories = roots.filter(({ kind }) => kind === 'directory');
  const treesOfRoots = directories.map((root) => facts.linkedTreeOf(root.path));
  if (tree !== undefined) {
    const moves = directories.flatMap((root, index) =>
      treesOfRoots[index] === undefined && isWithin(tree.path, root.path)
        ? [{ root, path: joinBelow(tree.top, tree.path, root.path) }]
        : [],
    );
    if (moves.length > 0) return { kind: 'moved', tree, moves };
    if (treesOfRoots.some((of) => isTree(of) && of.top === tree.top)) return here;
    const isSibling = treesOfRoots.some((of) => isTree(of) && of.path === tree.path);
    if (isSibling) return { kind: 'unclear', why: 'elsewhere', trees: [tree.top] };
  } else {
    const left = treesOfRoots.find((of) => isTree(of) && isWithin(of.path, directory));
    if (isTree(left)) return { kind: 'unclear', why: 'elsewhere', trees: [left.path] };
    const top = facts.repositoryOf(directory)?.top;
    const isSameTree = directories.some(
      (root) => root.path === top || (top !== undefined && isWithin(top, root.path)),
    );
    if (isSameTree) return here;
  }
  if (roots.some(({ path }) => isWithin(path, directory))) return here;
  const [primary] = directories;
  // A folder that has nothing to do with the roots says nothing about which of their trees is meant.
  return primary === undefined ? here : placeWithoutSignal(primary, context, facts);
}

function placeWithoutSignal(primary: Root, context: CallerContext, facts: TreeFacts): Place {
  const here: Place = { kind: 'here', known: primary.source };
  const repository = facts.repositoryOf(primary.path);
  if (repository === undefined) return here;
  const others = facts.linkedTrees(
    repository.path,
    (tree) => tree.top !== repository.top && isInUse(tree, repository, context),
  );
  if (others.length === 0) return here;
  return { kind: 'unclear', why: 'no-signal', trees: others.map(({ top }) => top) };
}

/**
 * Whether the roots are in a linked tree that an agent may have left without saying so. Then the client must be asked
 * again before anything is resolved against them.
 */
export function mayBeLeft(roots: readonly Root[], context: CallerContext, facts: TreeFacts): boolean {
  const primary = roots.find(({ kind }) => kind === 'directory');
  const tree = primary === undefined ? undefined : facts.linkedTreeOf(primary.path);
  if (!isTree(tree)) return false;
  const isOwn = ({ top }: LinkedTree): boolean => top === tree.top;
  return facts.linkedTrees(tree.path, (each) => isOwn(each) && isInUse(each, tree, context)).length > 0;
}

function isInUse(
  { top, addedAt, usedAt }: LinkedTree,
  { path }: Repository,
  { client, connectedAt, now }: CallerContext,
): boolean {
  if (addedAt >= connectedAt - CLOCK_LAG_MS) return true;
  const folder = client === undefined ? undefined : CLIENT_FOLDERS.get(client);
  return folder !== undefined && isWithin(join(path, folder), top) && now - usedAt < DAY_MS;
}

function isTree(claim: Repository | 'unconfirmed' | undefined): claim is Repository {
  return claim !== undefined && claim !== 'unconfirmed';
}

function isWithin(directory: string, path: string): boolean {
  return containsPath(directory, path, hostPathStyle);
}

/** `path`, which lies below `from`, at the same place below `to`. */
function joinBelow(to: string, from: string, path: string): string {
  return join(to, relative(from, path));
}
