import { lstatSync, renameSync, unlinkSync, type Stats } from 'node:fs';
import { endsInSeparator } from '../gate/asked-path.js';
import { checkTarget, copyIntoEntry } from './copy.js';
import type { Entry, Gate } from '../gate/gate.js';
import { unstablePath, type Pin } from '../pin/pin.js';
import { errnoOf } from '../../platform/errno.js';
import { fromSystem, scopeError } from '../gate/refusal.js';
import { placeOf } from '../recording/changes.js';
import { expectEntry, type ExpectEntry } from './entry-description.js';
import { priorAt, type Plan, type Recording } from '../recording/recorder.js';
import { checkMoveBelow } from './subtree.js';
import type { Writing } from './replace-file.js';

/** Options of `Scope.rename()`. */
export interface RenameOptions {
  /** Replace a file that is already there; default false. Folders are never replaced. */
  readonly overwrite?: boolean;
  /** Refuses as `changed-meanwhile` a source that it returns false for. */
  readonly expected?: ExpectEntry | undefined;
  readonly signal?: AbortSignal;
}

const ACTION = 'move';
const ACTION_TO = 'move to';

function sourceStats(asked: string, source: Entry): Stats {
  const stats = lstatSync(source.child);
  if (endsInSeparator(asked) && !stats.isDirectory()) {
    throw scopeError('not-a-directory', ACTION, asked, 'it is not a folder');
  }
  return stats;
}

/** Two hard links of one file: the system would leave both. Not two spellings of one name. */
function isTwin(source: Entry, target: Entry): boolean {
  const [one, other] = [source, target].map((entry) => lstatSync(entry.child, { throwIfNoEntry: false }));
  return (
    one !== undefined &&
    one.ino === other?.ino &&
    one.dev === other.dev &&
    placeOf(source).lock !== placeOf(target).lock
  );
}

function isUnchanged(pin: Pin, now: Stats | undefined): boolean {
  const { stats } = pin;
  return (
    now?.ino === stats.ino &&
    now.dev === stats.dev &&
    now.size === stats.size &&
    now.mtimeMs === stats.mtimeMs
  );
}

function planOf(source: Entry, target: Entry): Plan {
  const moved = priorAt(source.child);
  if (moved === undefined) throw unstablePath();
  const [from, path] = [source.placement.path, target.placement.path];
  return { kind: 'move', from, path, moved, prior: priorAt(target.child) };
}

async function moveToOtherDisk(
  gate: Gate,
  writing: Writing,
  from: string,
  to: string,
  source: Entry,
  target: Entry,
  options: RenameOptions,
  recording: Recording | undefined,
): Promise<void> {
  const pin = gate.pin(source.child, { noFollow: true });
  try {
    if (!pin.stats.isFile()) {
      throw scopeError('cross-device', ACTION, from, 'only files can be moved to another disk');
    }
    await copyIntoEntry(writing, pin, target, {
      exclusive: options.overwrite !== true,
      predecessor: pin.stats,
      signal: options.signal,
      action: ACTION_TO,
      asked: to,
    });
    recording?.partly?.();
    // A file saved under the old name in between is not the one that was moved, and must not be lost.
    if (!isUnchanged(pin, lstatSync(source.child, { throwIfNoEntry: false }))) throw unstablePath();
    // The same holds for a file that left the roots with its folder.
    if (source.parent.hasMoved()) throw unstablePath();
    unlinkSync(source.child);
  } finally {
    pin.close();
  }
}

/**
 * Moves an entry; a link is moved itself, not what it leads to. Without `overwrite` the target is looked at first,
 * but Node offers no rename that refuses to replace: a file created in between by another process is replaced.
 */
export async function renameInScope(
  gate: Gate,
  writing: Writing,
  from: string,
  to: string,
  options: RenameOptions = {},
): Promise<void> {
  options.signal?.throwIfAborted();
  try {
    const source = gate.admitEntry(ACTION, from, 'change');
    try {
      const stats = sourceStats(from, source);
      gate.enforceMove(ACTION, from, source.placement);
      const target = gate.admitEntry(ACTION_TO, to, 'change');
      try {
        gate.enforceMove(ACTION_TO, to, target.placement);
        if (stats.isSymbolicLink()) gate.enforceLink(ACTION_TO, to, target.placement);
        const isDirectory = stats.isDirectory();
        const asked = isDirectory && endsInSeparator(to) ? target.name : to;
        const checkFree = (): unknown => checkTarget(ACTION_TO, asked, target, options.overwrite === true);
        checkFree();
        if (isDirectory) await checkMoveBelow(gate, ACTION, from, source, target, options.signal);
        const places = [placeOf(source), placeOf(target)];
        const plan = (): Plan => planOf(source, target);
        const expected = expectEntry(ACTION, from, source, options.expected);
        const check = async (): Promise<void> => {
          checkFree();
          await expected?.();
        };
        const { signal } = options;
        await writing.changes.commit({ places, plan, check, signal }, async (recording, changes) => {
          try {
            if (isTwin(source, target)) unlinkSync(source.child);
            else renameSync(source.child, target.child);
          } catch (error) {
            if (errnoOf(error) !== 'EXDEV') throw error;
            await moveToOtherDisk(
              gate,
              { ...writing, changes },
              from,
              to,
              source,
              target,
              options,
              recording,
            );
          }
        });
      } finally {
        target.parent.close();
      }
    } finally {
      source.parent.close();
    }
  } catch (error) {
    options.signal?.throwIfAborted();
    throw fromSystem(ACTION, from, error);
  }
}
