import { lstatSync, renameSync, unlinkSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { asksForFolder } from './child-path.js';
import { copyIntoEntry } from './copy.js';
import type { Entry, Gate } from './gate.js';
import { errnoOf, fromSystem, refused, scopeError } from './refusal.js';
import type { TemporaryFiles } from './temporary-files.js';
import { findDenied } from './subtree.js';

export interface RenameOptions {
  /** Replace a file that is already there; default false. Folders are never replaced. */
  readonly overwrite?: boolean;
  readonly signal?: AbortSignal;
}

const ACTION = 'move';

function checkTarget(asked: string, target: Entry, overwrite: boolean): void {
  const stats = lstatSync(target.child, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!overwrite || stats.isDirectory()) {
    throw scopeError('already-exists', `${ACTION} to`, asked, 'it exists already');
  }
}

function checkSpelling(asked: string, source: Stats): void {
  if (source.isDirectory() || !asksForFolder(asked)) return;
  throw scopeError('not-a-directory', `${ACTION} to`, asked, 'a file cannot take the name of a folder');
}

function existing(asked: string, source: Entry): Stats {
  const stats = lstatSync(source.child);
  if (asksForFolder(asked) && !stats.isDirectory()) {
    throw scopeError('not-a-directory', ACTION, asked, 'it is not a folder');
  }
  return stats;
}

/** Moving a folder must not carry denied files to a place where no rule denies them. */
async function checkSubtree(
  gate: Gate,
  asked: string,
  source: Entry,
  target: Entry,
  options: RenameOptions,
): Promise<void> {
  if (!gate.rules.dependsOnPlace(source.placement, target.placement)) return;
  const pattern = await findDenied(gate, source, options.signal);
  if (pattern !== undefined) throw refused(ACTION, asked, { code: 'denied', pattern });
}

async function moveToOtherDisk(
  gate: Gate,
  temporaries: TemporaryFiles,
  from: string,
  source: Entry,
  target: Entry,
  options: RenameOptions,
): Promise<void> {
  const pin = gate.pin(source.child, { noFollow: true });
  try {
    if (!pin.stats.isFile()) {
      throw scopeError('cross-device', ACTION, from, 'only files can be moved to another disk');
    }
    // Moved, not made anew: owner and mode come along, as they do on one disk.
    await copyIntoEntry(temporaries, pin, target, {
      exclusive: options.overwrite !== true,
      predecessor: pin.stats,
    });
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
  temporaries: TemporaryFiles,
  from: string,
  to: string,
  options: RenameOptions = {},
): Promise<void> {
  options.signal?.throwIfAborted();
  try {
    const source = gate.admitEntry(ACTION, from, 'change');
    try {
      const stats = existing(from, source);
      gate.enforceMove(ACTION, from, source.placement);
      const target = gate.admitEntry(`${ACTION} to`, to, 'change');
      try {
        gate.enforceMove(`${ACTION} to`, to, target.placement);
        checkSpelling(to, stats);
        checkTarget(to, target, options.overwrite === true);
        if (stats.isDirectory()) await checkSubtree(gate, from, source, target, options);
        try {
          renameSync(source.child, target.child);
        } catch (error) {
          if (errnoOf(error) !== 'EXDEV') throw error;
          await moveToOtherDisk(gate, temporaries, from, source, target, options);
        }
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
