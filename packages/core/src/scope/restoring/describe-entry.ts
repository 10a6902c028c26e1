import { closeSync, constants, openSync, readlinkSync, type Stats } from 'node:fs';
import { RootwardError } from '../../error.js';
import { hashDescriptor } from '../recording/content-hash.js';
import type { Gate, Intent } from '../gate/gate.js';
import type { Pin, Platform } from '../pin/pin.js';
import { Pacer } from '../../platform/pacing.js';
import { isTemporaryName } from '../operations/temporary-files.js';
import { readPinned } from '../pin/read-directory.js';
import { fromSystem } from '../gate/refusal.js';
import { describeChild, describePrior, type EntryDescription } from '../operations/entry-description.js';
import { priorAt, priorOf } from '../recording/recorder.js';

/** Options of `Scope.describe()`. */
export interface DescribeOptions {
  /** Refuse a path that may not be changed. */
  readonly forChange?: boolean;
}

const ACTION = 'inspect';
const PERMISSION_BITS = 0o7777;
const READ_ENTRY: number = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const MAX_DEPTH = 512;

/** Says what is at a path, with the hash of a file. If a folder on the way is missing, the entry is absent. */
export async function describeEntryInScope(
  gate: Gate,
  asked: string,
  intent: Intent,
): Promise<EntryDescription> {
  try {
    const entry = gate.admitEntry(ACTION, asked, intent);
    try {
      return await describeChild(entry.child);
    } finally {
      entry.parent.close();
    }
  } catch (error) {
    if (error instanceof RootwardError && (error.code === 'not-found' || error.code === 'not-a-directory')) {
      return { kind: 'absent' };
    }
    if (error instanceof RootwardError && error.code === 'not-permitted')
      return describeRoot(gate, asked, intent);
    throw fromSystem(ACTION, asked, error);
  }
}

/** A single file that is a root: the folder that holds it is out of scope. */
async function describeRoot(gate: Gate, asked: string, intent: Intent): Promise<EntryDescription> {
  const { pin } = gate.admit(ACTION, asked, intent);
  try {
    return await describePrior(priorOf(pin), () => false);
  } catch (error) {
    throw fromSystem(ACTION, asked, error);
  } finally {
    pin.close();
  }
}

/** A folder under the name '', and everything below it by its path from there. Refused as a whole where a rule denies a part. */
export async function describeTreeInScope(
  gate: Gate,
  asked: string,
  signal?: AbortSignal,
): Promise<Map<string, EntryDescription>> {
  const { pin, placement } = gate.admit(ACTION, asked, 'read', { directory: true });
  try {
    return await describeBelow(gate, pin, signal, (relative) => {
      gate.enforce(ACTION, asked, gate.place(ACTION, asked, `${placement.path}/${relative}`), 'read');
    });
  } catch (error) {
    throw fromSystem(ACTION, asked, error);
  } finally {
    pin.close();
  }
}

/** The same for any pinned folder. */
export async function describeBelow(
  platform: Pick<Platform, 'pin'>,
  directory: Pin,
  signal: AbortSignal | undefined,
  check: (relative: string) => void,
): Promise<Map<string, EntryDescription>> {
  const found = new Map<string, EntryDescription>();
  const pacer = new Pacer(signal);
  const visit = async (folder: Pin, below: string, depth: number): Promise<boolean> => {
    if (depth > MAX_DEPTH) throw Object.assign(new Error('too deep'), { code: 'ENAMETOOLONG' });
    let empty = true;
    for (const entry of readPinned(folder)) {
      if (pacer.due) await pacer.rest();
      // Left behind by a process that was killed; the next write to the folder removes it.
      if (isTemporaryName(entry.name)) continue;
      empty = false;
      const relative = below === '' ? entry.name : `${below}/${entry.name}`;
      check(relative);
      const child = folder.child(entry.name);
      if (entry.isDirectory()) {
        const pin = platform.pin(child, { directory: true, noFollow: true });
        try {
          const isEmpty = await visit(pin, relative, depth + 1);
          found.set(relative, { kind: 'directory', mode: modeOf(pin.stats), empty: isEmpty });
        } finally {
          pin.close();
        }
      } else if (entry.isSymbolicLink()) found.set(relative, { kind: 'link', target: readlinkSync(child) });
      else if (entry.isFile()) found.set(relative, await describeFile(child));
      else found.set(relative, { kind: 'other' });
    }
    return empty;
  };
  const empty = await visit(directory, '', 0);
  return found.set('', { kind: 'directory', mode: modeOf(directory.stats), empty });
}

async function describeFile(child: string): Promise<EntryDescription> {
  const prior = priorAt(child);
  if (prior === undefined) return { kind: 'absent' };
  const fd = openSync(child, READ_ENTRY);
  try {
    return { kind: 'file', mode: modeOf(prior.stats), ...(await hashDescriptor(fd)) };
  } finally {
    closeSync(fd);
  }
}

function modeOf(stats: Stats): number {
  return stats.mode & PERMISSION_BITS;
}
