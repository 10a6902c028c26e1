import { lstatSync, type Dirent } from 'node:fs';
import { relative as relativePath, sep } from 'node:path';
import { childPath } from '../gate/child-path.js';
import type { Gate } from '../gate/gate.js';
import { isAtRest, stampOf, type FileStamp } from './file-stamp.js';
import { enterDirectory, isRepositoryData, type IgnoreRules } from './ignore-rules.js';
import type { FolderRules } from '../gate/rules-file.js';
import { byName, hiddenIn, kindOf, type EntryKind, type EntryOrder } from './list.js';
import { toEntryStats, type EntryStats } from './stat.js';
import type { Pin } from '../pin/pin.js';
import { fromSystem } from '../gate/refusal.js';
import { Pacer } from '../../platform/pacing.js';
import { readPinned } from '../pin/read-directory.js';

/** One entry found by `Scope.walk()`. */
export interface WalkEntry {
  /** Where the entry was seen. For display and for other calls of the scope; do not use it in any other way. */
  readonly path: string;
  /** From the folder the walk started in, with `/` on every system. */
  readonly relative: string;
  readonly name: string;
  readonly kind: EntryKind;
  /** 1 for the entries of the folder the walk started in. */
  readonly depth: number;
  /** Only with `stats: true`, and only for files. */
  readonly stats?: EntryStats;
  /**
   * Only with `stamps: true`, and only for files. Absent where the file changed a moment ago: the clocks of disks are
   * coarse, so another change might not show.
   */
  readonly stamp?: FileStamp;
}

/** Options of `Scope.walk()`. */
export interface WalkOptions {
  /** Leave out what `.gitignore` files name, and `.git` itself. */
  readonly gitignore?: boolean;
  readonly maxDepth?: number;
  /** Sizes and times of files: far cheaper than asking for each of them. A filter does not see them. */
  readonly stats?: boolean;
  /** Stamps of files, which differ once a file has changed. A filter does not see them. */
  readonly stamps?: boolean;
  /** By name (the default), or in the order of the disk, which needs no memory for the names of a folder. */
  readonly order?: EntryOrder;
  /** One level after the other, instead of going down each folder first. */
  readonly breadthFirst?: boolean;
  /** Return false to leave an entry out, and with a folder all that is in it. */
  readonly filter?: (entry: WalkEntry) => boolean;
  readonly signal?: AbortSignal;
}

interface Pending {
  readonly path: string;
  readonly relative: string;
  readonly depth: number;
  readonly rules: IgnoreRules | undefined;
  /** The rules files that hold in the folder above; undefined where it was not visited. */
  readonly above: readonly FolderRules[] | undefined;
}

const slashes = (path: string): string => (sep === '/' ? path : path.replaceAll(sep, '/'));

/** The rules of the folders above the start, from its root down: a walk of `src` obeys the root's ignore file too. */
function rulesAbove(gate: Gate, root: string, start: string): IgnoreRules | undefined {
  let rules: IgnoreRules | undefined;
  let path = root;
  let base = '';
  for (const name of relativePath(root, start).split(sep).filter(Boolean)) {
    const directory = gate.pin(path, { directory: true, noFollow: true });
    try {
      rules = enterDirectory(gate, directory, base, rules);
    } finally {
      directory.close();
    }
    path = childPath(path, name);
    base = base === '' ? name : `${base}/${name}`;
  }
  return rules;
}

/** How many entries are looked at between two looks at the clock, which takes a twentieth of the time of an entry. */
const PER_LOOK = 16;

async function sorted(dirents: Iterable<Dirent>, pacer: Pacer): Promise<readonly Dirent[]> {
  const all: Dirent[] = [];
  for (const dirent of dirents) {
    if (all.length % PER_LOOK === 0 && pacer.due) await pacer.rest();
    all.push(dirent);
  }
  return all.sort(byName);
}

/** A folder that is gone, cannot be opened or is no longer where it was is skipped. */
function pinWhereSeen(gate: Gate, path: string): Pin | undefined {
  let pin: Pin;
  try {
    pin = gate.pin(path, { directory: true, noFollow: true });
  } catch {
    return undefined;
  }
  if (pin.path === path) return pin;
  pin.close();
  return undefined;
}

/** With its current stats; without any if it is gone by now. Never the stats of a link's target. */
function withStats(entry: WalkEntry, directory: Pin, options: WalkOptions): WalkEntry {
  const stats = lstatSync(directory.child(entry.name), { throwIfNoEntry: false });
  if (stats?.isFile() !== true) return entry;
  const withTimes = options.stats === true ? { ...entry, stats: toEntryStats(stats) } : entry;
  return options.stamps === true && isAtRest(stats) ? { ...withTimes, stamp: stampOf(stats) } : withTimes;
}

/** How many entries are passed on together. Waiting for each one takes longer than finding it. */
const MAX_BATCH = 256;

/**
 * Streams what is below a folder, folder by folder. Links are reported but not followed, denied entries are left out, and
 * memory grows with the folders still to visit and the names of one folder, not with the files seen.
 */
export async function* walkInScope(
  gate: Gate,
  asked: string,
  options: WalkOptions = {},
): AsyncGenerator<WalkEntry, void> {
  for await (const batch of walkInBatches(gate, asked, options)) {
    for (const entry of batch) {
      options.signal?.throwIfAborted();
      yield entry;
    }
  }
}

/** The same, several entries of one folder at a time. */
export async function* walkInBatches(
  gate: Gate,
  asked: string,
  options: WalkOptions = {},
): AsyncGenerator<readonly WalkEntry[], void> {
  options.signal?.throwIfAborted();
  const { pin, placement } = gate.admit('walk', asked, 'read', { directory: true });
  pin.close();
  const [root] = placement.roots;
  const start = placement.path;
  const base = root === undefined ? '' : slashes(relativePath(root.path, start));
  const wantsStats = options.stats === true || options.stamps === true;
  const maxDepth = options.maxDepth ?? Number.POSITIVE_INFINITY;
  const pacer = new Pacer(options.signal);
  let first: IgnoreRules | undefined;
  try {
    first = options.gitignore === true && root !== undefined ? rulesAbove(gate, root.path, start) : undefined;
    // A folder that is named explicitly is walked, even if an ignore file names it.
    if (base !== '' && first?.ignores(base, true) === true) first = undefined;
  } catch (error) {
    throw fromSystem('walk', asked, error);
  }
  const pending: Pending[] =
    maxDepth > 0 ? [{ path: start, relative: '', depth: 0, rules: first, above: undefined }] : [];

  let next = 0;
  const take = (): Pending | undefined => (options.breadthFirst === true ? pending[next++] : pending.pop());
  for (let folder = take(); folder !== undefined; folder = take()) {
    const directory = pinWhereSeen(gate, folder.path);
    if (directory === undefined) continue;
    try {
      const here = { path: folder.path, roots: gate.index.containing(folder.path, true) };
      const inRoot = [base, folder.relative].filter(Boolean).join('/');
      const rules =
        options.gitignore === true ? enterDirectory(gate, directory, inRoot, folder.rules) : undefined;
      const files =
        folder.above === undefined
          ? gate.rules.filesIn(here)
          : gate.rules.filesBelow(folder.above, directory);
      const isHidden = hiddenIn(gate, here, files);
      const below: Pending[] = [];
      let batch: WalkEntry[] = [];
      let looked = 0;
      const dirents = readPinned(directory, { skipUnreadable: folder.depth > 0 });
      for (const dirent of options.order === 'disk' ? dirents : await sorted(dirents, pacer)) {
        options.signal?.throwIfAborted();
        if (looked++ % PER_LOOK === 0 && pacer.due) await pacer.rest();
        const { name } = dirent;
        const path = childPath(folder.path, name);
        if (isHidden(name, path)) continue;
        const kind = kindOf(dirent);
        if (options.gitignore === true) {
          if (isRepositoryData(name)) continue;
          if (rules?.ignores(inRoot === '' ? name : `${inRoot}/${name}`, kind === 'directory') === true)
            continue;
        }
        const entry: WalkEntry = {
          path,
          relative: folder.relative === '' ? name : `${folder.relative}/${name}`,
          name,
          kind,
          depth: folder.depth + 1,
        };
        if (options.filter?.(entry) === false) continue;
        if (kind === 'directory' && entry.depth < maxDepth) {
          const { relative, depth } = entry;
          below.push({ path, relative, depth, rules, above: files });
        }
        batch.push(wantsStats && kind === 'file' ? withStats(entry, directory, options) : entry);
        if (batch.length < MAX_BATCH) continue;
        yield batch;
        batch = [];
      }
      if (batch.length > 0) yield batch;
      // Otherwise the last one in is the first one out.
      pending.push(...(options.breadthFirst === true ? below : below.reverse()));
    } catch (error) {
      throw error instanceof Error && 'syscall' in error ? fromSystem('walk', asked, error) : error;
    } finally {
      directory.close();
    }
  }
}
