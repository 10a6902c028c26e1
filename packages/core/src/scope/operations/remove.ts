import { lstatSync, rmdirSync, unlinkSync } from 'node:fs';
import { endsInSeparator } from '../gate/asked-path.js';
import { childPath } from '../gate/child-path.js';
import type { Entry, Gate } from '../gate/gate.js';
import { unstablePath, type Pin } from '../pin/pin.js';
import { Pacer } from '../../platform/pacing.js';
import { errnoOf } from '../../platform/errno.js';
import { fromSystem, refused, scopeError } from '../gate/refusal.js';
import { placeOf } from '../recording/changes.js';
import { expectEntry, type ExpectEntry } from './entry-description.js';
import { priorAt, type Plan, type Recording } from '../recording/recorder.js';
import type { FoldersSeen } from '../gate/rules.js';
import { visitBelow } from './subtree.js';
import type { Writing } from './replace-file.js';
import type { TemporaryFiles } from './temporary-files.js';

/** Options of `Scope.remove()`. */
export interface RemoveOptions {
  /** Remove a folder with all that is in it. */
  readonly recursive?: boolean;
  /** Refuses as `changed-meanwhile` what it returns false for. */
  readonly expected?: ExpectEntry | undefined;
  readonly signal?: AbortSignal;
}

const ACTION = 'remove';

function checkEntry(gate: Gate, asked: string, directory: Pin, name: string, seen: FoldersSeen): void {
  checkPath(gate, asked, childPath(directory.path, name), seen);
}

function checkPath(gate: Gate, asked: string, path: string, seen: FoldersSeen): void {
  const refusal = gate.rules.refuseMove(gate.place(ACTION, asked, path), seen);
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

async function removeTree(
  gate: Gate,
  { changes }: Writing,
  asked: string,
  entry: Entry,
  { expected, signal }: RemoveOptions,
): Promise<void> {
  const directory = gate.pin(entry.child, { directory: true, noFollow: true });
  try {
    const pacer = new Pacer(signal);
    // First only look: a protected or denied file refuses the whole removal before anything is gone.
    const seen: FoldersSeen = new Map();
    await visitBelow(gate, directory, pacer, (parent, name) => checkEntry(gate, asked, parent, name, seen));
    if (directory.hasMoved()) throw unstablePath();
    const plan = (): Plan => planOf(gate, asked, entry);
    const check = expectEntry(ACTION, asked, entry, expected);
    await changes.commit({ places: [placeOf(entry)], plan, check, signal }, async (recording) => {
      if (recording?.taken !== true) await removeBelow(gate, asked, entry, directory, pacer, recording);
    });
  } finally {
    directory.close();
  }
}

/** The kept files are checked again: a denied file may have been added in the meantime. */
function planOf(gate: Gate, asked: string, { placement: { path }, child }: Entry): Plan {
  const seen: FoldersSeen = new Map();
  const check = (relative: string): void => checkPath(gate, asked, childPath(path, relative), seen);
  return { kind: 'take-tree', path, child, check };
}

async function removeBelow(
  gate: Gate,
  asked: string,
  entry: Entry,
  directory: Pin,
  pacer: Pacer,
  recording: Recording | undefined,
): Promise<void> {
  const seen: FoldersSeen = new Map();
  await visitBelow(gate, directory, pacer, (parent, name, isDirectory) => {
    checkEntry(gate, asked, parent, name, seen);
    if (parent.hasMoved()) throw unstablePath();
    discard(parent.child(name), isDirectory);
    recording?.partly?.();
  });
  rmdirSync(entry.child);
}

async function removeOne(
  { changes }: Writing,
  asked: string,
  entry: Entry,
  { expected, signal }: RemoveOptions,
  remove: (child: string) => void,
): Promise<void> {
  const { placement, child } = entry;
  const plan = (): Plan => {
    return { kind: 'put', path: placement.path, prior: priorAt(child), next: { kind: 'absent' } };
  };
  const check = expectEntry(ACTION, asked, entry, expected);
  await changes.commit({ places: [placeOf(entry)], plan, check, signal }, () => remove(child));
}

/** Temporary files of a killed process are not listed, and must not prevent the removal of an empty folder. */
async function sweep(
  gate: Gate,
  temporaries: TemporaryFiles,
  entry: Entry,
  signal?: AbortSignal,
): Promise<void> {
  const directory = gate.pin(entry.child, { directory: true, noFollow: true });
  try {
    await temporaries.sweep(directory, signal);
  } finally {
    directory.close();
  }
}

/** Removes an entry; a link is removed itself, never what it leads to. */
export async function removeInScope(
  gate: Gate,
  writing: Writing,
  asked: string,
  options: RemoveOptions = {},
): Promise<void> {
  options.signal?.throwIfAborted();
  try {
    const entry = gate.admitEntry(ACTION, asked, 'change');
    try {
      const stats = lstatSync(entry.child);
      gate.enforceMove(ACTION, asked, entry.placement);
      if (!stats.isDirectory()) {
        if (endsInSeparator(asked)) throw scopeError('not-a-directory', ACTION, asked, 'it is not a folder');
        await removeOne(writing, asked, entry, options, unlinkSync);
      } else if (options.recursive === true) {
        await removeTree(gate, writing, asked, entry, options);
      } else {
        await sweep(gate, writing.temporaries, entry, options.signal);
        await removeOne(writing, asked, entry, options, rmdirSync);
      }
    } finally {
      entry.parent.close();
    }
  } catch (error) {
    options.signal?.throwIfAborted();
    throw fromSystem(ACTION, asked, error);
  }
}
