import { lstatSync, rmdirSync, unlinkSync } from 'node:fs';
import { asksForFolder, childPath } from './child-path.js';
import type { Entry, Gate } from './gate.js';
import type { Pin } from './pin.js';
import { errnoOf, fromSystem, refused, scopeError } from './refusal.js';
import { Pacer, readPinned } from './subtree.js';

export interface RemoveOptions {
  /** Remove a folder with all that is in it. */
  readonly recursive?: boolean;
  readonly signal?: AbortSignal;
}

const ACTION = 'remove';

/** A folder opened for every level is held open; deeper trees than this are not made by people. */
const MAX_DEPTH = 512;

type Visit = (directory: Pin, name: string, isDirectory: boolean) => void;

/**
 * Visits what is below a pinned folder, children before their folder. Every folder is pinned through its pinned
 * parent without following links, so nothing outside can be swapped in.
 */
async function visitDepthFirst(
  gate: Gate,
  directory: Pin,
  pacer: Pacer,
  visit: Visit,
  depth = 0,
): Promise<void> {
  if (depth > MAX_DEPTH) throw Object.assign(new Error('too deep'), { code: 'ENAMETOOLONG' });
  for (const entry of readPinned(directory)) {
    if (pacer.due) await pacer.rest();
    const isDirectory = entry.isDirectory();
    if (isDirectory) {
      const child = gate.pin(directory.child(entry.name), { directory: true, noFollow: true });
      try {
        await visitDepthFirst(gate, child, pacer, visit, depth + 1);
      } finally {
        child.close();
      }
    }
    visit(directory, entry.name, isDirectory);
  }
}

function checkEntry(gate: Gate, asked: string, directory: Pin, name: string): void {
  const placement = gate.place(ACTION, asked, childPath(directory.path, name));
  const refusal = gate.rules.refuseMove(placement);
  if (refusal !== undefined) throw refused(ACTION, asked, refusal);
}

function discard(path: string, isDirectory: boolean): void {
  try {
    if (isDirectory) rmdirSync(path);
    else unlinkSync(path);
  } catch (error) {
    // Somebody else removed it first, which is what was wanted.
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
}

async function removeTree(gate: Gate, asked: string, entry: Entry, signal?: AbortSignal): Promise<void> {
  const directory = gate.pin(entry.child, { directory: true, noFollow: true });
  try {
    const pacer = new Pacer(signal);
    // First only look: a protected or denied file refuses the whole removal before anything is gone.
    await visitDepthFirst(gate, directory, pacer, (parent, name) => checkEntry(gate, asked, parent, name));
    await visitDepthFirst(gate, directory, pacer, (parent, name, isDirectory) => {
      checkEntry(gate, asked, parent, name);
      discard(parent.child(name), isDirectory);
    });
  } finally {
    directory.close();
  }
  rmdirSync(entry.child);
}

/** Removes an entry; a link is removed itself, never what it leads to. */
export async function removeInScope(gate: Gate, asked: string, options: RemoveOptions = {}): Promise<void> {
  options.signal?.throwIfAborted();
  try {
    const entry = gate.admitEntry(ACTION, asked, 'change');
    try {
      const stats = lstatSync(entry.child);
      gate.enforceMove(ACTION, asked, entry.placement);
      if (!stats.isDirectory()) {
        if (asksForFolder(asked)) throw scopeError('not-a-directory', ACTION, asked, 'it is not a folder');
        unlinkSync(entry.child);
      } else if (options.recursive === true) {
        await removeTree(gate, asked, entry, options.signal);
      } else {
        rmdirSync(entry.child);
      }
    } finally {
      entry.parent.close();
    }
  } catch (error) {
    options.signal?.throwIfAborted();
    throw fromSystem(ACTION, asked, error);
  }
}
