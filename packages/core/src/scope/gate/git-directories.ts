import { existsSync, lstatSync, readFileSync, realpathSync, type Stats } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { GIT_REASON } from '../../protected/steering.js';
import { expandHome } from '../../uri/expand-home.js';
import { childPath, isWithin } from './child-path.js';
import { CASE_INSENSITIVE } from './letter-case.js';

/** What git makes of one folder. */
interface FolderOfGit {
  readonly isStore: boolean;
  /** The folder of hooks that the repository in this folder names, if it names one. */
  readonly hooks: string | undefined;
  /** When it was looked at, in milliseconds. */
  readonly at: number;
}

/**
 * How long the answer for a folder is used. Tools cannot turn a folder into a repository, so it changes only where the
 * user does, and a tool could have written there just before.
 */
const FRESH_MS = 1_000;
/** How many folders are remembered. Beyond that, all are forgotten, which only means looking again. */
const MAX_FOLDERS = 4_096;
const COMPLETES = /^(?:objects|refs|commondir)$/i;
const HEAD = /^head$/i;
const HOOKS_REASON = 'git runs hooks from it (core.hooksPath)';
/** The hooks that git knows; only they count where the folder of hooks is the whole project. */
const HOOK_NAME =
  /^(?:applypatch-msg|commit-msg|fsmonitor-watchman|p4-\w.*|post-\w.*|pre-\w.*|prepare-commit-msg|proc-receive|push-to-checkout|reference-transaction|sendemail-validate|update)$/i;
const MAX_CONFIG_BYTES = 1024 * 1024;

/**
 * Finds what git obeys, wherever it is: repositories of any name, such as bare ones and what a `.git` file names, and
 * folders of hooks. A folder is a repository by the same signs as for git: `HEAD` with `objects` and `refs`, or with
 * `commondir`. What it cannot read counts as absent, as it does for git.
 */
export class GitDirectories {
  readonly #homes: readonly string[];
  readonly #folders = new Map<string, FolderOfGit>();

  constructor(homes: readonly string[]) {
    this.#homes = homes;
  }

  /** Why git forbids to change an entry, by its canonical path; undefined where it does not. */
  reasonFor(path: string, isDirectory: boolean): string | undefined {
    if (completesRepository(path, isDirectory)) return 'it makes its folder a git repository';
    const now = performance.now();
    for (let folder = dirname(path); ; folder = dirname(folder)) {
      const { isStore, hooks } = this.#lookAt(folder, now);
      if (isStore) return GIT_REASON;
      if (hooks !== undefined && isHook(path, hooks, folder)) return HOOKS_REASON;
      if (folder === dirname(folder)) return undefined;
    }
  }

  #lookAt(folder: string, now: number): FolderOfGit {
    const known = this.#folders.get(folder);
    if (known !== undefined && now - known.at < FRESH_MS) return known;
    if (this.#folders.size >= MAX_FOLDERS) this.#folders.clear();
    const found = { isStore: isRepository(folder), hooks: this.#hooksNamedIn(folder), at: now };
    this.#folders.set(folder, found);
    return found;
  }

  /** The folder that `core.hooksPath` names in the repository of this folder. Files that it includes are not read. */
  #hooksNamedIn(folder: string): string | undefined {
    const marker = childPath(folder, '.git');
    if (!existsSync(marker)) return undefined;
    const value = configsOf(marker).reduce<string | undefined>(
      (found, config) => hooksPathIn(read(config)) ?? found,
      undefined,
    );
    const [home] = this.#homes;
    return value === undefined
      ? undefined
      : canonicalOr(resolve(folder, home === undefined ? value : expandHome(value, home)));
  }
}

/** Whether an entry with this name would let git take its folder for a repository. */
function completesRepository(path: string, isDirectory: boolean): boolean {
  const name = basename(path);
  const folder = dirname(path);
  if (COMPLETES.test(name)) return existsSync(childPath(folder, 'HEAD'));
  if (isDirectory || !HEAD.test(name)) return false;
  // The first of the signs is refused already, so that calls at the same time cannot bring one each.
  if (name === 'HEAD' || CASE_INSENSITIVE) return lookAt(path)?.isDirectory() !== true;
  return ['objects', 'refs', 'commondir'].some((sign) => existsSync(childPath(folder, sign)));
}

function isRepository(folder: string): boolean {
  const has = (name: string): boolean => existsSync(childPath(folder, name));
  // A link in the place of HEAD may lead nowhere, and git accepts it.
  if (lookAt(childPath(folder, 'HEAD')) === undefined) return false;
  return has('commondir') || (has('objects') && has('refs'));
}

function isHook(path: string, hooks: string, top: string): boolean {
  if (!isWithin(top, hooks)) return isWithin(path, hooks);
  return dirname(path) === hooks && HOOK_NAME.test(basename(path));
}

/** The configuration files of a repository, given its `.git`: of all its working trees, then of this one. */
function configsOf(marker: string): readonly string[] {
  const pointer = /^gitdir: (.+)$/m.exec(read(marker))?.[1];
  const directory = pointer === undefined ? marker : resolve(dirname(marker), pointer.trim());
  const common = read(childPath(directory, 'commondir')).trim();
  return [childPath(resolve(directory, common), 'config'), childPath(directory, 'config.worktree')];
}

/** The value of `core.hooksPath`; the last one counts. */
function hooksPathIn(config: string): string | undefined {
  let section = '';
  let value: string | undefined;
  for (const line of config.split('\n')) {
    section = /^\s*\[([^\]]*)\]/.exec(line)?.[1]?.trim().toLowerCase() ?? section;
    const found = /^(?:\s*\[[^\]]*\])?\s*hookspath\s*=\s*("?)(.*?)\1\s*(?:[#;].*)?$/i.exec(line)?.[2];
    if (section === 'core' && found !== undefined) value = found;
  }
  return value === '' ? undefined : value;
}

/** The text of a small regular file; empty for everything else. */
function read(path: string): string {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats?.isFile() === true && stats.size <= MAX_CONFIG_BYTES ? readFileSync(path, 'utf8') : '';
  } catch {
    return '';
  }
}

function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function canonicalOr(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
