import { lstatSync, rmdirSync, unlinkSync } from 'node:fs';
import { endsInSeparator } from '../gate/asked-path.js';
import { childPath } from '../gate/child-path.js';
import type { Entry, Gate } from '../gate/gate.js';
import { unstablePath } from '../pin/pin.js';
import type { Pin } from '../pin/pin.js';
import { Pacer } from '../../platform/pacing.js';
import { errnoOf } from '../../platform/errno.js';
import { fromSystem, refused, scopeError } from '../gate/refusal.js';
import { visitBelow } from './subtree.js';

/** Options of `Scope.remove()`. */
export interface RemoveOptions {
  /** Remove a folder with all that is in it. */
  readonly recursive?: boolean;
  readonly signal?: AbortSignal;
}

const ACTION = 'remove';

function checkEntry(gate: Gate, asked: string, directory: Pin, name: string): void {
  const refusal = gate.rules.refuseMove(gate.place(ACTION, asked, childPath(directory.path, name)));
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
    await visitBelow(gate, directory, pacer, (parent, name) => checkEntry(gate, asked, parent, name));
    await visitBelow(gate, directory, pacer, (parent, name, isDirectory) => {
      checkEntry(gate, asked, parent, name);
      if (parent.hasMoved()) throw unstablePath();
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
        if (endsInSeparator(asked)) throw scopeError('not-a-directory', ACTION, asked, 'it is not a folder');
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
