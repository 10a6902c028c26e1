import { mkdirSync } from 'node:fs';
import { childPath } from '../gate/child-path.js';
import type { Entry, Gate } from '../gate/gate.js';
import type { Pin } from '../pin/pin.js';
import { errnoOf } from '../../platform/errno.js';
import { fromSystem, scopeError } from '../gate/refusal.js';
import { placeOf, type Changes } from '../recording/changes.js';
import type { Plan } from '../recording/recorder.js';

/** Options of `Scope.mkdir()`. */
export interface MakeDirectoryOptions {
  /** Also make the folders on the way, and accept one that exists already. */
  readonly recursive?: boolean;
}

/** What `Scope.mkdir()` did: nothing was created where the folder was there already. */
export interface MakeDirectoryResult {
  readonly created: boolean;
}

type NewFolder = Pick<Entry, 'parent' | 'name' | 'child'>;

const ACTION = 'create folder';

function makeOne(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  }
}

async function makeRecorded(changes: Changes, path: string, place: NewFolder): Promise<void> {
  const plan = (): Plan => ({ kind: 'put', path, prior: undefined, next: { kind: 'directory' } });
  const target = placeOf(place);
  // Before it is noted: a process that is killed may not come to note that it failed.
  const check = (): void => {
    if (target.look() === undefined) return;
    throw Object.assign(new Error('EEXIST: it exists already'), { code: 'EEXIST' });
  };
  await changes.commit({ places: [target], plan, check }, () => mkdirSync(place.child));
}

async function makeOneRecorded(changes: Changes, path: string, place: NewFolder): Promise<boolean> {
  try {
    await makeRecorded(changes, path, place);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Each folder on the way is made in its pinned parent and then pinned itself, so none can be swapped for a link. */
async function makeMissing(
  gate: Gate,
  changes: Changes,
  asked: string,
  start: Pin,
  missing: readonly string[],
): Promise<boolean> {
  let parent = start;
  let created = false;
  try {
    for (const name of missing) {
      const placement = gate.place(ACTION, asked, childPath(parent.path, name), true);
      gate.enforce(ACTION, asked, placement, 'change');
      // Without a recorder, all folders are made in one turn of the event loop: no other call gets in between.
      const made = changes.isRecorded
        ? await makeOneRecorded(changes, placement.path, { parent, name, child: parent.child(name) })
        : makeOne(parent.child(name));
      created = made || created;
      const next = gate.pin(parent.child(name), { directory: true });
      if (parent !== start) parent.close();
      parent = next;
      // Somebody may have made a link there in the meantime.
      gate.enforce(ACTION, asked, gate.placePin(ACTION, asked, next), 'change');
    }
    return created;
  } finally {
    if (parent !== start) parent.close();
  }
}

export async function makeDirectoryInScope(
  gate: Gate,
  changes: Changes,
  asked: string,
  options: MakeDirectoryOptions = {},
): Promise<MakeDirectoryResult> {
  try {
    if (options.recursive !== true) {
      const entry = gate.admitEntry(ACTION, asked, 'change');
      try {
        await makeRecorded(changes, entry.placement.path, entry);
      } finally {
        entry.parent.close();
      }
      return { created: true };
    }
    const { pin, placement, missing } = gate.resolve(ACTION, asked, 'change');
    try {
      if (missing.length > 0) {
        gate.enforce(ACTION, asked, placement, 'change');
        return { created: await makeMissing(gate, changes, asked, pin, missing) };
      }
      gate.enforce(ACTION, asked, placement, 'read');
      if (!pin.stats.isDirectory()) throw scopeError('already-exists', ACTION, asked, 'a file has that name');
      return { created: false };
    } finally {
      pin.close();
    }
  } catch (error) {
    throw fromSystem(ACTION, asked, error);
  }
}
