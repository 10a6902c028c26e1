import { lstatSync, type Dirent } from 'node:fs';
import { childPath } from '../gate/child-path.js';
import type { Gate } from '../gate/gate.js';
import type { Pin } from '../pin/pin.js';
import { Pacer } from '../../platform/pacing.js';
import { readPinned } from '../pin/read-directory.js';
import { fromSystem } from '../gate/refusal.js';
import { isKernelEntry } from '../gate/root-index.js';
import type { Placement } from '../gate/rules.js';
import type { FolderRules } from '../gate/rules-file.js';
import { toEntryStats, type EntryStats } from './stat.js';
import { isTemporaryName } from './temporary-files.js';

/** What an entry of a folder is. `other` is whatever is never opened: FIFOs, sockets, devices. */
export type EntryKind = 'file' | 'directory' | 'link' | 'other';

/** One entry of a folder, from `Scope.list()`. */
export interface ListEntry {
  readonly name: string;
  /** A link is reported as a link, whatever it leads to. */
  readonly kind: EntryKind;
  /** Only with `stats: true`, and only for files and folders. */
  readonly stats?: EntryStats;
}

/** Options of `Scope.list()`. */
export interface ListOptions {
  readonly stats?: boolean;
  /** By name (the default), or in the order of the disk, which is a little faster. */
  readonly order?: EntryOrder;
  readonly signal?: AbortSignal;
}

/** The order of entries within a folder. */
export type EntryOrder = 'name' | 'disk';

/** By code units, so that the order does not depend on where the server runs. */
export function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return one.name < other.name ? -1 : Number(one.name > other.name);
}

export function kindOf(entry: Dirent): EntryKind {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  return entry.isSymbolicLink() ? 'link' : 'other';
}

/**
 * Says which entries of a folder in scope are left out of listings: denied, of the kernel, or a write under way. `files` are
 * the rules files that hold in the folder.
 */
export function hiddenIn(
  gate: Gate,
  directory: Placement,
  files: readonly FolderRules[],
): (name: string, path: string) => boolean {
  const refuse = gate.rules.refuserOfEntries(directory, files);
  return (name, path) =>
    isKernelEntry(directory.path, path) || isTemporaryName(name) || refuse(path) !== undefined;
}

function describe(pin: Pin, entry: Dirent, withStats: boolean): ListEntry {
  const { name } = entry;
  const kind = kindOf(entry);
  if (!withStats || (kind !== 'file' && kind !== 'directory')) return { name, kind };
  // lstat: the caller may not be allowed to know the size of a link's target.
  const stats = lstatSync(pin.child(name), { throwIfNoEntry: false });
  return stats === undefined ? { name, kind } : { name, kind, stats: toEntryStats(stats) };
}

/** Lists a folder. Denied entries are left out. */
export async function listInScope(
  gate: Gate,
  asked: string,
  options: ListOptions = {},
): Promise<ListEntry[]> {
  options.signal?.throwIfAborted();
  const { pin, placement } = gate.admit('list', asked, 'read', { directory: true });
  try {
    const pacer = new Pacer(options.signal);
    const isHidden = hiddenIn(gate, placement, gate.rules.filesIn(placement));
    const entries: ListEntry[] = [];
    for (const entry of readPinned(pin)) {
      if (pacer.due) await pacer.rest();
      if (!isHidden(entry.name, childPath(placement.path, entry.name)))
        entries.push(describe(pin, entry, options.stats === true));
    }
    return options.order === 'disk' ? entries : entries.sort(byName);
  } catch (error) {
    options.signal?.throwIfAborted();
    throw fromSystem('list', asked, error);
  } finally {
    pin.close();
  }
}
