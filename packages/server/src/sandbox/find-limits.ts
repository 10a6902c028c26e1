import { lstatSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { RootwardError, WORKSPACE_RULES_FILE } from '@rootward/core';
import type { Root, Scope } from '@rootward/core';
import type { HiddenPath } from '@rootward/sandbox';

/** What rules take out of the roots. */
export interface RootLimits {
  readonly denied: readonly HiddenPath[];
  /** Files and folders that steer the fence: to be read, not to be changed. */
  readonly fixed: readonly string[];
}

/** Names that steer a fence, a client or git, wherever a root has them. The scope says which of them count. */
const STEERING: readonly string[] = [
  WORKSPACE_RULES_FILE,
  '.mcp.json',
  '.claude/settings.json',
  '.claude/settings.local.json',
  '.cursor/mcp.json',
  '.gemini/settings.json',
  '.codex/config.toml',
  '.vscode/mcp.json',
  '.git/config',
  '.git/hooks',
  '.git/worktrees',
  'config',
  'tools',
];
/** Rules can be in every folder; those of dependencies and of git itself say nothing about the workspace. */
const WITHOUT_RULES: ReadonlySet<string> = new Set(['node_modules', '.git']);
/** Above this, looking for rules takes longer than most programs run, so they are taken to be there. */
const MAX_LOOKED_AT = 20_000;

/** Finds what a child must not read or change inside the roots, as it is now. */
export async function findLimits(
  scope: Scope,
  { denies, protect }: { readonly denies: boolean; readonly protect: readonly string[] },
  signal?: AbortSignal,
): Promise<RootLimits> {
  const roots = scope.roots.filter(({ broad }) => !broad);
  const fixed = [...protect, ...roots.flatMap(({ path }) => STEERING.map((name) => join(path, name)))].filter(
    (path) => exists(path) && isFixed(scope, path),
  );
  if (!denies && !(await haveRules(roots, signal))) return { denied: [], fixed };
  const { findDenied } = await import('@rootward/sandbox');
  return { denied: await findDenied(roots, (path) => isDenied(scope, path), signal), fixed };
}

function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

function isFixed(scope: Scope, path: string): boolean {
  try {
    const { root, writable } = scope.locate(path);
    return root.access === 'read-write' && !writable;
  } catch {
    return false;
  }
}

/** A link that leads out of the roots is refused for another reason: where it leads, the plan decides. */
function isDenied(scope: Scope, path: string): boolean {
  try {
    scope.locate(path);
    return false;
  } catch (error) {
    const code: string = error instanceof RootwardError ? error.code : '';
    return code === 'denied' || code === 'rules-unreadable';
  }
}

async function haveRules(roots: readonly Root[], signal: AbortSignal | undefined): Promise<boolean> {
  const folders = roots.filter(({ kind }) => kind === 'directory').map(({ path }) => path);
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
