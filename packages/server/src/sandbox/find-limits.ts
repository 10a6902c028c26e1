import { lstatSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  RootwardError,
  WORKSPACE_RULES_FILE,
  type ProtectedPlace,
  type Root,
  type Scope,
} from '@rootward/core';
import { GIT_PLACES, pathInGit, STEERING_PLACES, steersGit } from '@rootward/core/platform';
import type { HiddenPath } from '@rootward/sandbox';

/** What rules take out of the roots. */
export interface RootLimits {
  readonly denied: readonly HiddenPath[];
  /** Files and folders that steer the fence: to be read, not to be changed. */
  readonly fixed: readonly string[];
  /** Files and folders that rules make read-only, and roots that are in such a folder. */
  readonly locked: readonly string[];
}

/** Rules can be in every folder; those of dependencies and of git itself say nothing about the workspace. */
const WITHOUT_RULES: ReadonlySet<string> = new Set(['node_modules', '.git']);
/** Above this, looking for rules takes longer than most programs run, so they are taken to be there. */
const MAX_LOOKED_AT = 20_000;

/** Finds what a child must not read or change inside the roots, as it is now. */
export async function findLimits(
  scope: Scope,
  { denies, places }: { readonly denies: boolean; readonly places: readonly ProtectedPlace[] },
  signal?: AbortSignal,
): Promise<RootLimits> {
  const roots = scope.roots.filter(({ broad }) => !broad);
  const names = [
    ...STEERING_PLACES.map(({ path }) => path),
    ...GIT_PLACES.map(({ path }) => join('.git', path)),
  ];
  const protect = places.filter(({ where, protection }) => where === 'at' && protection === 'fixed');
  const fixed = [
    ...protect.map(({ path }) => path),
    ...roots.flatMap(({ path }) => names.map((name) => join(path, name))),
  ].filter((path) => exists(path) && stateOf(scope, path) === 'fixed');
  if (!denies && !(await haveRules(roots, signal))) return { denied: [], fixed, locked: [] };
  const { findDenied } = await import('@rootward/sandbox');
  const found = { fixed: new Set(fixed), locked: new Set<string>() };
  const look = (path: string): PathState => {
    const state = stateOf(scope, path);
    const kept = state === 'fixed' || state === 'locked' ? found[state] : undefined;
    if (kept !== undefined && !isBelow(found.fixed, path) && !isBelow(found.locked, path)) kept.add(path);
    return state;
  };
  for (const { path } of roots) look(path);
  const denied = await findDenied(roots, (path) => look(path) === 'denied', signal);
  return { denied, fixed: [...found.fixed], locked: [...found.locked] };
}

/** What is inside a protected folder need not be listed. */
function isBelow(folders: ReadonlySet<string>, path: string): boolean {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    if (folders.has(folder)) return true;
  }
  return false;
}

function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

type PathState = 'open' | 'fixed' | 'locked' | 'denied';

/** A link that leads out of the roots is refused for another reason: where it leads, the plan decides. */
function stateOf(scope: Scope, path: string): PathState {
  try {
    const { root, writable, steers } = scope.locate(path);
    if (root.access === 'read-only' || writable) return 'open';
    // Out of reach as a whole through a scope, but git has to write into it.
    const inGit = pathInGit(path);
    if (inGit !== undefined && !steersGit(inGit)) return 'open';
    return steers ? 'fixed' : 'locked';
  } catch (error) {
    const code: string = error instanceof RootwardError ? error.code : '';
    return code === 'denied' || code === 'rules-unreadable' ? 'denied' : 'open';
  }
}

async function haveRules(roots: readonly Root[], signal: AbortSignal | undefined): Promise<boolean> {
  const folders = roots.filter(({ kind }) => kind === 'directory').map(({ path }) => path);
  if (
    roots.some(({ path }) => foldersAbove(path).some((folder) => exists(join(folder, WORKSPACE_RULES_FILE))))
  ) {
    return true;
  }
  let looked = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    signal?.throwIfAborted();
    for (const entry of await entriesOf(folder)) {
      if (entry.name === WORKSPACE_RULES_FILE || ++looked > MAX_LOOKED_AT) return true;
      if (entry.isDirectory() && !WITHOUT_RULES.has(entry.name)) folders.push(join(folder, entry.name));
    }
  }
  return false;
}

/** Their rules hold for what is below them, too. */
function foldersAbove(path: string): readonly string[] {
  const above = dirname(path);
  return above === path ? [] : [above, ...foldersAbove(above)];
}

async function entriesOf(folder: string): ReturnType<typeof readEntries> {
  try {
    return await readEntries(folder);
  } catch {
    return [];
  }
}

function readEntries(folder: string) {
  return readdir(folder, { withFileTypes: true });
}
