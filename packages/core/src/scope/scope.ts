import type { FileHandle } from 'node:fs/promises';
import type { RootwardError } from '../error.js';
import type { Fence } from '../roots/fence.js';
import type { Root } from '../roots/root.js';
import { homedir } from 'node:os';
import { lockDirectory, ProcessLocks } from '../platform/process-locks.js';
import { copyInScope, type CopyOptions } from './operations/copy.js';
import { Gate } from './gate/gate.js';
import { listInScope, type ListEntry, type ListOptions } from './operations/list.js';
import { containedInScope, locateInScope, nameContainedInScope, type Location } from './operations/locate.js';
import { makeDirectoryInScope } from './operations/make-directory.js';
import type { MakeDirectoryOptions, MakeDirectoryResult } from './operations/make-directory.js';
import { lendInScope, openInScope } from './operations/open.js';
import type { LendOptions, Lent, OpenOptions } from './operations/open.js';
import type { Guarantee, Operation, Platform } from './pin/pin.js';
import { systemPlatform } from './pin/system.js';
import { readBytesInScope, type BytesReading, type ReadBytesOptions } from './operations/read-bytes.js';
import { readTextInScope, type ReadTextOptions, type TextReading } from './operations/read-text.js';
import { removeInScope, type RemoveOptions } from './operations/remove.js';
import { renameInScope, type RenameOptions } from './operations/rename.js';
import type { ScopeRules } from './gate/rules.js';
import type { Writing } from './operations/replace-file.js';
import { statInScope, type EntryStats } from './operations/stat.js';
import { TemporaryFiles } from './operations/temporary-files.js';
import {
  updateInScope,
  type ChangeText,
  type UpdateOptions,
  type UpdateResult,
} from './operations/update.js';
import { walkInBatches, walkInScope, type WalkEntry, type WalkOptions } from './operations/walk.js';
import { writeInScope, type WriteOptions, type WriteResult } from './operations/write.js';
import { Changes } from './recording/changes.js';
import { TallyRecorder, type ChangeTally } from './recording/change-tally.js';
import type { Recorder } from './recording/recorder.js';
import type { EntryDescription } from './operations/entry-description.js';
import type { DescribeOptions } from './restoring/describe-entry.js';
import type { RestoredEntry, RestoredTree, RestoreEntryOptions } from './restoring/restore.js';

/** What a `Scope` is made of. */
export interface ScopeOptions {
  readonly roots: readonly Root[];
  readonly rules?: ScopeRules;
  /** What rules are tied to beside the roots; `snapshot.fence` of a workspace. Default: the roots and the home directory. */
  readonly fence?: Fence;
  /** How objects are held; pass one to share it between scopes. Default: the strongest this system has. */
  readonly platform?: Platform;
  /** Pass one to share it between scopes. */
  readonly temporaries?: TemporaryFiles;
  /**
   * Keeps other processes from changing an entry between the check and the change of it. Default: shared by all
   * processes of this user.
   */
  readonly locks?: ProcessLocks;
  /** Told of every change before it is made; the place for a history. */
  readonly recorder?: Recorder | undefined;
  /** Counts the changes, whichever recorder they have. */
  readonly tally?: ChangeTally | undefined;
  /** The error for relative paths, if it is not known what they are relative to. */
  readonly refuseRelative?: () => RootwardError;
  /** The path of the root that relative paths start at; default: the first directory root. */
  readonly relativeTo?: string | undefined;
  /** What `~` at the start of a path means; without it, `~` is an ordinary name. */
  readonly home?: string;
}

/**
 * Containment and file access over one list of roots, which never changes. Every path may be absolute, a `file:` URI,
 * or relative to the first directory root. A relative path that only another root has can be read, but not changed.
 * Refusals are RootwardErrors.
 *
 * @example
 * ```ts
 * import { readPathRoots, Scope } from '@rootward/core';
 * import { homedir } from 'node:os';
 *
 * const { roots } = await readPathRoots([{ path: '/home/me/app' }], { source: 'flag', home: homedir() });
 * const scope = new Scope({ roots, rules: { deny: ['secrets'] } });
 * const { text } = await scope.readText('README.md');
 * await scope.write('notes/today.md', text.toUpperCase());
 * ```
 */
export class Scope {
  readonly roots: readonly Root[];
  readonly #gate: Gate;
  readonly #platform: Platform;
  readonly #writing: Writing;
  readonly #options: ScopeOptions;

  constructor(options: ScopeOptions, gate?: Gate) {
    const { platform = systemPlatform(), temporaries = new TemporaryFiles(), locks = usualLocks() } = options;
    this.roots = options.roots;
    this.#platform = platform;
    const { recorder, tally } = options;
    const counted = tally === undefined ? recorder : new TallyRecorder(tally, recorder);
    this.#writing = { temporaries, changes: new Changes(locks, counted) };
    // Including what this constructor made, so that another scope with the same options shares it.
    const { platform: given, temporaries: own, locks: shared } = options;
    const isComplete = given !== undefined && own !== undefined && shared !== undefined;
    this.#options = isComplete ? options : { ...options, platform, temporaries, locks };
    this.#gate =
      gate ??
      new Gate(options.roots, options.rules ?? {}, this.#platform, {
        fence: options.fence ?? fenceOf(options.roots),
        refuseRelative: options.refuseRelative,
        relativeTo: options.relativeTo,
        home: options.home,
      });
  }

  /** The same scope, with this recorder for its changes; they are also counted, where there is a tally. */
  recordedBy(recorder: Recorder | undefined, tally: ChangeTally | undefined = this.tally): Scope {
    return new Scope({ ...this.#options, recorder, tally }, this.#gate);
  }

  /** The count of the changes, where there is one. */
  get tally(): ChangeTally | undefined {
    return this.#options.tally;
  }

  /** The same scope with its rules tied to a fence. */
  fencedBy(fence: Fence): Scope {
    return this.#options.fence === fence ? this : new Scope({ ...this.#options, fence });
  }

  /** The same scope without relative paths. */
  refusingRelative(refuseRelative: () => RootwardError): Scope {
    return new Scope({ ...this.#options, refuseRelative });
  }

  /** The same scope with relative paths that start at another of its roots. */
  startingAt(relativeTo: string): Scope {
    return new Scope({ ...this.#options, relativeTo });
  }

  /** Whether an operation decides on the very object it then uses, on this system. */
  guarantee(operation: Operation): Guarantee {
    return this.#platform.guarantee(operation);
  }

  /** Whether a path is in scope: advice for people and models, never a licence to use the path outside the scope. */
  contains(path: string): boolean {
    return containedInScope(this.#gate, path);
  }

  /**
   * Whether the entry of this name may be read, whatever is there now: for canonical paths of the past, such as those in a
   * history. A link is not followed.
   */
  containsName(path: string): boolean {
    return nameContainedInScope(this.#gate, path);
  }

  /**
   * Where a path leads, also one that does not exist yet; throws the refusal where it is out of scope. With `change`, as
   * for changes: a relative path that only another root has is refused.
   */
  locate(path: string, intent?: 'read' | 'change'): Location {
    return locateInScope(this.#gate, path, intent);
  }

  /**
   * The absolute path that is read for a relative one where only another root has it, for a note that says so. Undefined
   * for any other path.
   */
  elsewhere(path: string): string | undefined {
    return this.#gate.elsewhere(path);
  }

  /**
   * Opens an existing regular file and hands out the handle; close it. What is done with the handle is no longer checked.
   */
  open(path: string, options?: OpenOptions): Promise<FileHandle> {
    return openInScope(this.#gate, path, options);
  }

  /**
   * Gives `use` a path that another process may open while `use` runs, but not later. Where the guarantee is
   * `race-free`, it leads to the very object that was checked. What that process does with it is no longer checked.
   */
  lend<Result>(
    path: string,
    use: (lent: Lent) => Result | Promise<Result>,
    options?: LendOptions,
  ): Promise<Result> {
    return lendInScope(this.#gate, this.guarantee('lend'), path, use, options);
  }

  /** Reads UTF-8 text, whole or by lines. Other encodings are refused as `not-text`. */
  readText(path: string, options?: ReadTextOptions): Promise<TextReading> {
    return readTextInScope(this.#gate, path, options);
  }

  /** Reads bytes, all of them or a range. */
  readBytes(path: string, options?: ReadBytesOptions): Promise<BytesReading> {
    return readBytesInScope(this.#gate, path, options);
  }

  /**
   * Creates, replaces or adds to a file. Replacing happens in one step and keeps the mode. The folder must exist.
   */
  write(path: string, data: string | Uint8Array, options?: WriteOptions): Promise<WriteResult> {
    return writeInScope(this.#gate, this.#writing, path, data, options);
  }

  /**
   * Changes a text file by a function of its text. No other process of Rootward comes in between; where another program
   * does, the function is called again with the new text.
   */
  update(path: string, change: ChangeText, options?: UpdateOptions): Promise<UpdateResult> {
    return updateInScope(this.#gate, this.#writing, path, change, options);
  }

  /** Makes a folder; with `recursive`, those on the way, too. */
  async mkdir(path: string, options?: MakeDirectoryOptions): Promise<MakeDirectoryResult> {
    return makeDirectoryInScope(this.#gate, this.#writing.changes, path, options);
  }

  /** The entries of a folder, sorted by name. Denied ones are left out. */
  list(path: string, options?: ListOptions): Promise<ListEntry[]> {
    return listInScope(this.#gate, path, options);
  }

  /** Size, times and mode of what a path leads to. */
  async stat(path: string): Promise<EntryStats> {
    return statInScope(this.#gate, path);
  }

  /** Moves a file, folder or link within the roots. A link is moved itself, not what it leads to. */
  rename(from: string, to: string, options?: RenameOptions): Promise<void> {
    return renameInScope(this.#gate, this.#writing, from, to, options);
  }

  /** Copies one file, into place in one step. */
  copy(from: string, to: string, options?: CopyOptions): Promise<void> {
    return copyInScope(this.#gate, this.#writing, from, to, options);
  }

  /** Removes a file, a link (never what it leads to) or an empty folder; with `recursive`, a folder with all in it. */
  remove(path: string, options?: RemoveOptions): Promise<void> {
    return removeInScope(this.#gate, this.#writing, path, options);
  }

  /** Everything below a folder, one entry at a time. Links are reported and not followed; denied entries are left out. */
  walk(path: string, options?: WalkOptions): AsyncGenerator<WalkEntry, void> {
    return walkInScope(this.#gate, path, options);
  }

  /** The same, several entries of one folder at a time: a few times faster where there are thousands. */
  walkInBatches(path: string, options?: WalkOptions): AsyncGenerator<readonly WalkEntry[], void> {
    return walkInBatches(this.#gate, path, options);
  }

  /** What is at a path, with the hash of a file. A link is not followed. Needed to undo changes. */
  async describe(path: string, options: DescribeOptions = {}): Promise<EntryDescription> {
    const { describeEntryInScope } = await import('./restoring/describe-entry.js');
    return describeEntryInScope(this.#gate, path, options.forChange === true ? 'change' : 'read');
  }

  /** The same for a folder, under the name '', and for everything below it by path from there. */
  async describeTree(path: string, signal?: AbortSignal): Promise<Map<string, EntryDescription>> {
    const { describeTreeInScope } = await import('./restoring/describe-entry.js');
    return describeTreeInScope(this.#gate, path, signal);
  }

  /** Puts a file, folder or link into a former state, mode included. */
  async restore(path: string, entry: RestoredEntry, options?: RestoreEntryOptions): Promise<void> {
    const { restoreInScope } = await import('./restoring/restore.js');
    return restoreInScope(this.#gate, this.#writing, path, entry, options);
  }

  /** Puts back a whole folder that was kept. */
  async restoreTree(path: string, tree: RestoredTree): Promise<void> {
    const { restoreTreeInScope } = await import('./restoring/restore.js');
    return restoreTreeInScope(this.#gate, this.#writing, path, tree);
  }
}

/** Roots that come from no workspace were named by the author of the scope. */
function fenceOf(roots: readonly Root[]): Fence {
  return { homes: homesOfThisProcess(), named: roots, ceiling: [], hinted: [] };
}

/** Made with the first change. */
function usualLocks(): ProcessLocks {
  return new ProcessLocks(() => {
    const [home] = homesOfThisProcess();
    return home === undefined ? undefined : lockDirectory(process.env, home);
  });
}

/** A user whom the system does not know has none. */
function homesOfThisProcess(): readonly string[] {
  try {
    return [homedir()];
  } catch {
    return [];
  }
}
