import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  opendirSync,
  openSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import type { Stats } from 'node:fs';
import type { EntryDescription } from '../../scope/operations/entry-description.js';
import { describeBelow } from '../../scope/restoring/describe-entry.js';
import type { Platform } from '../../scope/pin/pin.js';
import { Pacer } from '../../platform/pacing.js';
import { readPinned } from '../../scope/pin/read-directory.js';
import { errnoOf } from '../../platform/errno.js';
import type { PrivateDirectory } from './private-directory.js';
import { createPrivate } from './private-file.js';
import { copyDescriptor } from './copy-descriptor.js';

const PERMISSION_BITS = 0o7777;
const WRITABLE_FOLDER = 0o700;
const MAX_DEPTH = 512;
/** How the name of a half-copied tree starts; a killed process leaves it behind. */
const HALF_COPIED = 'tmp-';
const READ_ENTRY: number = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
/** The disk cannot move a folder to where the history is. */
const NOT_MOVABLE: ReadonlySet<string | undefined> = new Set(['EXDEV', 'EBUSY', 'EACCES', 'EPERM', 'EINVAL']);

export interface KeptTree {
  readonly files: number;
  readonly bytes: number;
  /** Files that were not kept, relative to the tree. */
  readonly lost: readonly string[];
}

export interface TakeOptions {
  readonly maxFileBytes: number;
  /** Throws where a path below the folder must not be kept. */
  readonly check: (relative: string) => void;
  readonly signal: AbortSignal | undefined;
}

/** Folders that were removed, each as it was: moved here whole where the disk can do that, else copied. */
export class TreeStore {
  readonly #directory: PrivateDirectory;
  readonly #platform: Platform;
  /** Bytes added since the last look, to decide when to clean up. */
  added = 0;

  constructor(directory: PrivateDirectory, platform: Platform) {
    this.#directory = directory;
    this.#platform = platform;
  }

  /** Moves a folder here. False where that cannot be done; nothing has happened then. */
  move(child: string, name: string): boolean {
    return moveInto(child, this.#directory.child(name));
  }

  /** Moves a kept folder to a path outside the store. */
  moveBack(name: string, child: string): boolean {
    return moveInto(this.#directory.child(name), child);
  }

  /** Looks through a folder that was moved here, and removes files that are too large to be kept. */
  async settle(name: string, { maxFileBytes, check, signal }: TakeOptions): Promise<KeptTree> {
    const tally = new Tally();
    await visit(this.#directory.child(name), '', new Pacer(signal), (path, relative, stats) => {
      check(relative);
      if (!stats.isFile()) return;
      if (stats.size > maxFileBytes) {
        unlinkSync(path);
        tally.lost.push(relative);
      } else tally.add(stats.size);
    });
    this.added += tally.bytes;
    return tally;
  }

  /** Copies a folder here. */
  async copy(child: string, name: string, options: TakeOptions): Promise<KeptTree> {
    const tally = new Tally();
    // Under its own name only when it is complete.
    const half = `${HALF_COPIED}${name}`;
    try {
      await copyTree(child, this.#directory.child(half), { ...options, tally, platform: this.#platform });
      renameSync(this.#directory.child(half), this.#directory.child(name));
    } catch (error) {
      this.drop(half);
      throw error;
    }
    this.added += tally.bytes;
    return tally;
  }

  /** Copies a kept folder to a path that does not exist yet. Reports each file. */
  async copyBack(name: string, child: string, onFile: () => void, signal?: AbortSignal): Promise<void> {
    const tally = new Tally(onFile);
    const options = {
      maxFileBytes: Number.POSITIVE_INFINITY,
      check: () => undefined,
      signal,
      tally,
      platform: this.#platform,
    };
    await copyTree(this.#directory.child(name), child, options);
  }

  has(name: string): boolean {
    return lstatSync(this.#directory.child(name), { throwIfNoEntry: false })?.isDirectory() === true;
  }

  /** What is in it: the folder itself as '', the rest by its path from there. Empty where it is gone. */
  async describe(name: string, signal?: AbortSignal): Promise<Map<string, EntryDescription>> {
    if (!this.has(name)) return new Map();
    const pin = this.#platform.pin(this.#directory.child(name), { directory: true, noFollow: true });
    try {
      return await describeBelow(this.#platform, pin, signal, () => undefined);
    } finally {
      pin.close();
    }
  }

  /** When it was taken: its name starts with that. */
  takenAt(name: string): number {
    const id = name.startsWith(HALF_COPIED) ? name.slice(HALF_COPIED.length) : name;
    return Number.parseInt(id.split('-', 1)[0] ?? '', 36);
  }

  /** How much it takes. */
  async size(name: string, pacer: Pacer): Promise<number> {
    let size = 0;
    await visit(this.#directory.child(name), '', pacer, (_path, _relative, stats) => {
      size += stats.size;
    });
    return size;
  }

  /** Removes a tree for good. */
  drop(name: string): void {
    rmSync(this.#directory.child(name), { recursive: true, force: true });
  }
}

interface CopyTreeOptions extends TakeOptions {
  readonly tally: Tally;
  readonly platform: Platform;
}

class Tally implements KeptTree {
  files = 0;
  bytes = 0;
  readonly lost: string[] = [];
  readonly #onFile: (() => void) | undefined;

  constructor(onFile?: () => void) {
    this.#onFile = onFile;
  }

  add(size: number): void {
    this.files += 1;
    this.bytes += size;
    this.#onFile?.();
  }
}

function moveInto(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (NOT_MOVABLE.has(errnoOf(error))) return false;
    throw error;
  }
}

/** Calls `each` for everything below a folder. Links are not followed. */
async function visit(
  folder: string,
  below: string,
  pacer: Pacer,
  each: (path: string, relative: string, stats: Stats) => void,
  depth = 0,
): Promise<void> {
  if (depth > MAX_DEPTH) throw Object.assign(new Error('too deep'), { code: 'ENAMETOOLONG' });
  const handle = opendirSync(folder);
  try {
    for (let entry = handle.readSync(); entry !== null; entry = handle.readSync()) {
      if (pacer.due) await pacer.rest();
      const path = `${folder}/${entry.name}`;
      const relative = below === '' ? entry.name : `${below}/${entry.name}`;
      each(path, relative, lstatSync(path));
      if (entry.isDirectory()) await visit(path, relative, pacer, each, depth + 1);
    }
  } finally {
    handle.closeSync();
  }
}

/** Copies a folder, links as links. Every folder is pinned without following links, so nothing can be swapped in. */
async function copyTree(
  from: string,
  to: string,
  options: CopyTreeOptions,
  below = '',
  depth = 0,
): Promise<void> {
  if (depth > MAX_DEPTH) throw Object.assign(new Error('too deep'), { code: 'ENAMETOOLONG' });
  const pin = options.platform.pin(from, { directory: true, noFollow: true });
  try {
    mkdirSync(to, WRITABLE_FOLDER);
    const pacer = new Pacer(options.signal);
    for (const entry of readPinned(pin)) {
      if (pacer.due) await pacer.rest();
      const relative = below === '' ? entry.name : `${below}/${entry.name}`;
      options.check(relative);
      const [source, target] = [pin.child(entry.name), `${to}/${entry.name}`];
      if (entry.isDirectory()) await copyTree(source, target, options, relative, depth + 1);
      else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
      else if (entry.isFile()) await copyFile(source, target, relative, options);
      else options.tally.lost.push(relative);
    }
    // Set last: the mode may forbid adding files.
    chmodSync(to, pin.stats.mode & PERMISSION_BITS);
  } finally {
    pin.close();
  }
}

async function copyFile(
  source: string,
  target: string,
  relative: string,
  { maxFileBytes, tally }: CopyTreeOptions,
): Promise<void> {
  const fd = openSync(source, READ_ENTRY);
  try {
    const { size, mode } = fstatSync(fd);
    if (size > maxFileBytes) {
      tally.lost.push(relative);
      return;
    }
    const copy = createPrivate(target);
    try {
      await copyDescriptor(fd, copy);
      fchmodSync(copy, mode & PERMISSION_BITS);
    } finally {
      closeSync(copy);
    }
    tally.add(size);
  } finally {
    closeSync(fd);
  }
}
