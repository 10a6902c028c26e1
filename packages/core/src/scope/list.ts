import { lstatSync } from 'node:fs';
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { childPath } from './child-path.js';
import type { Gate } from './gate.js';
import { fromSystem } from './refusal.js';
import { isKernelPath } from './root-index.js';
import type { Placement } from './rules.js';
import { toEntryStats } from './stat.js';
import type { EntryStats } from './stat.js';

export type EntryKind = 'file' | 'directory' | 'link' | 'other';

export interface ListEntry {
  readonly name: string;
  /** A link is told as a link, whatever it leads to. */
  readonly kind: EntryKind;
  /** Only with `stats: true`, and only for files and folders. */
  readonly stats?: EntryStats;
}

export interface ListOptions {
  readonly stats?: boolean;
  readonly signal?: AbortSignal;
}

export function kindOf(entry: Dirent): EntryKind {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  return entry.isSymbolicLink() ? 'link' : 'other';
}

/** Whether an entry of a folder in scope is hidden from listings. `roots` are those of the folder. */
export function isHidden(gate: Gate, directory: Placement, name: string): boolean {
  const path = childPath(directory.path, name);
  return isKernelPath(path) || gate.rules.refuseRead({ path, roots: directory.roots }) !== undefined;
}

/** Lists a folder in the order of the disk. Denied entries are left out. */
export async function listInScope(
  gate: Gate,
  asked: string,
  options: ListOptions = {},
): Promise<ListEntry[]> {
  options.signal?.throwIfAborted();
  const { pin, placement } = gate.admit('list', asked, 'read', { directory: true });
  try {
    const entries: ListEntry[] = [];
    for (const entry of await readdir(pin.self, { withFileTypes: true })) {
      if (isHidden(gate, placement, entry.name)) continue;
      const kind = kindOf(entry);
      const measured = options.stats === true && (kind === 'file' || kind === 'directory');
      // lstat: the size of what a link leads to may be none of the caller's business.
      const stats = measured ? lstatSync(pin.child(entry.name), { throwIfNoEntry: false }) : undefined;
      entries.push(
        stats === undefined
          ? { name: entry.name, kind }
          : { name: entry.name, kind, stats: toEntryStats(stats) },
      );
    }
    options.signal?.throwIfAborted();
    return entries;
  } catch (error) {
    options.signal?.throwIfAborted();
    throw fromSystem('list', asked, error);
  } finally {
    pin.close();
  }
}
