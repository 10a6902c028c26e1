import { lstatSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  canonicalPlaces,
  RootwardError,
  WORKSPACE_RULES_FILE,
  type ProtectedPlace,
  type Root,
  type Scope,
} from '@rootward/core';
import type { Found, HiddenPath, SteeringFinder } from '@rootward/sandbox';

/** What is taken out of the roots. */
export interface RootLimits {
  /** What rules deny, and what Rootward keeps for itself. */
  readonly denied: readonly HiddenPath[];
  /** Files and folders that steer programs of the user: to be read, not to be changed. Roots may be among them. */
  readonly fixed: readonly string[];
  /** Files and folders that rules make read-only, and roots that are in such a folder. */
  readonly locked: readonly string[];
}

export interface LimitsOptions {
  /** Whether the operator or the user denies something inside the roots. */
  readonly denies: boolean;
  /** The register of protected places, by canonical paths. */
  readonly places: readonly ProtectedPlace[];
  readonly finder: Pick<SteeringFinder, 'find'>;
}

/** What else may steer, in the folder of a tools project. The scope says which of all these count. */
const TOOLS_PROJECT: readonly string[] = ['config', 'tools'];
/** Only its user may enter a folder of ours. */
const PRIVATE = 0o700;

/** Finds what a child must not read or change inside the roots, as it is now. */
export async function findLimits(
  scope: Scope,
  { denies, places, finder }: LimitsOptions,
  signal?: AbortSignal,
): Promise<RootLimits> {
  const { findDenied, protecting } = await import('@rootward/sandbox');
  const roots = scope.roots.filter(({ broad }) => !broad);
  const folders = roots.filter(({ kind }) => kind === 'directory');
  const found = await finder.find(
    folders.map(({ path }) => path),
    signal,
  );
  const named = places.filter(({ where, protection }) => where === 'at' && protection === 'fixed');
  const fixed = new Set([
    ...found.map(protecting),
    ...found.flatMap(behindLink).flatMap((path) => {
      if (!folders.some((root) => path === root.path || isBelow(path, root.path))) return [];
      return isLink(path) ? dirname(path) : existing(path);
    }),
    // Nothing can be mounted on a link.
    ...named.flatMap(({ path }) =>
      folders.some((root) => isBelow(path, root.path)) && isLink(path) ? dirname(path) : [],
    ),
    ...[
      ...named.map(({ path }) => path),
      ...roots.flatMap(({ path }) => [path, ...TOOLS_PROJECT.map((name) => join(path, name))]),
    ].filter((path) => exists(path) && stateOf(scope, path) === 'fixed'),
  ]);
  const kept = places.filter(({ where, kind }) => where === 'at' && kind === 'kept');
  const hidden = kept.flatMap(({ path }) => keptAway(path, roots));
  const haveRules =
    denies ||
    found.some(({ path, kind }) => kind === 'unseen' || isRulesFile(path)) ||
    roots.some(({ path }) => foldersAbove(path).some((folder) => exists(join(folder, WORKSPACE_RULES_FILE))));
  if (!haveRules) return { denied: hidden, fixed: [...fixed], locked: [] };
  const locked = new Set<string>();
  const look = (path: string): PathState => {
    const state = stateOf(scope, path);
    if (state === 'locked' && !foldersAbove(path).some((folder) => locked.has(folder))) locked.add(path);
    return state;
  };
  const refused = roots.filter(({ path }) => look(path) === 'denied');
  const whole = refused.map(({ path, kind }): HiddenPath => ({ path, kind, why: 'rule' }));
  const denied = await findDenied(
    roots.filter((root) => !refused.includes(root)),
    (path) => look(path) === 'denied',
    signal,
  );
  return { denied: [...whole, ...denied, ...hidden], fixed: [...fixed], locked: [...locked] };
}

/** Finds every link on the way from one that programs follow, and where the way ends. */
function behindLink({ path, kind }: Found): readonly string[] {
  if (kind !== 'link') return [];
  const place = {
    where: 'at',
    kind: 'steering',
    protection: 'fixed',
    unlessNamed: false,
    reason: '',
  } as const;
  return canonicalPlaces([{ ...place, path }]).map((each) => each.path);
}

/** Returns the path, or the folder in which it could be made. */
function existing(path: string): string {
  return exists(path) ? path : existing(dirname(path));
}

function isRulesFile(path: string): boolean {
  return basename(path).toLowerCase() === WORKSPACE_RULES_FILE;
}

/** A place of ours in a root is made before a child could make it, and fill it with its own. */
function keptAway(path: string, roots: readonly Root[]): readonly HiddenPath[] {
  const isInRoot = roots.some((root) => root.kind === 'directory' && isBelow(path, root.path));
  if (isInRoot && !exists(path)) mkdirSync(path, { recursive: true, mode: PRIVATE });
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return [];
  return [{ path: realpathSync(path), kind: stats.isDirectory() ? 'directory' : 'file', why: 'kept' }];
}

function isBelow(path: string, folder: string): boolean {
  return foldersAbove(path).includes(folder);
}

function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

type PathState = 'open' | 'fixed' | 'locked' | 'denied';

/** A link that leads out of the roots is refused for another reason: where it leads, the plan decides. */
function stateOf(scope: Scope, path: string): PathState {
  try {
    const { root, writable, steers } = scope.locate(path);
    if (root.access === 'read-only' || writable) return 'open';
    return steers ? 'fixed' : 'locked';
  } catch (error) {
    const code: string = error instanceof RootwardError ? error.code : '';
    return code === 'denied' || code === 'rules-unreadable' ? 'denied' : 'open';
  }
}

/** The rules of these hold for what is below them, too. */
function foldersAbove(path: string): readonly string[] {
  const above = dirname(path);
  return above === path ? [] : [above, ...foldersAbove(above)];
}
