import { randomBytes } from 'node:crypto';
import { linkSync, lstatSync, readFileSync, renameSync, unlinkSync, type Stats } from 'node:fs';
import { disposable, type Disposable } from '../../platform/disposable.js';
import { errnoOf } from '../../platform/errno.js';
import { isObject } from '../../platform/json.js';
import { isRunning, neighbourhood, thisProcess } from '../../platform/process-identity.js';
import type { PrivateDirectory } from '../store/private-directory.js';
import { createPrivate, usingDescriptor, writeWhole } from '../store/private-file.js';

const LOCK = 'tidying';
/** A holder that keeps it longer was killed. For those of another machine or container, which cannot be looked for. */
const STALE_MS = 10 * 60 * 1000;

/** Lets one process at a time replace journals. Undefined while another one holds the lock. */
export function takeLock(directory: PrivateDirectory): Disposable | undefined {
  const path = directory.child(LOCK);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats !== undefined && (!isStale(path, stats) || !discard(directory, path, stats))) return undefined;
  const { pid, start } = thisProcess();
  const owner = Buffer.from(JSON.stringify({ pid, start, neighbourhood: neighbourhood() }));
  try {
    usingDescriptor(createPrivate(path), (fd) => writeWhole(fd, owner));
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return undefined;
    throw error;
  }
  return disposable(() => unlinkSync(directory.child(LOCK)));
}

/** Whether its holder was killed. One that has not written who it is yet counts as running. */
function isStale(path: string, { mtimeMs }: Stats): boolean {
  if (Date.now() - mtimeMs > STALE_MS) return true;
  // Elsewhere nothing tells processes of other machines apart.
  if (process.platform !== 'linux') return false;
  try {
    const owner: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (!isObject(owner) || owner['neighbourhood'] !== neighbourhood()) return false;
    return !isRunning({ pid: Number(owner['pid']), start: String(owner['start']) });
  } catch {
    return false;
  }
}

/** Renamed first, and looked at: another process may have found it stale, too, and taken the lock since. */
function discard(directory: PrivateDirectory, path: string, stale: Stats): boolean {
  const aside = directory.child(`${LOCK}-${randomBytes(6).toString('hex')}`);
  if (!attempt(() => renameSync(path, aside), 'ENOENT')) return false;
  const isMeant = lstatSync(aside).ino === stale.ino;
  if (!isMeant) attempt(() => linkSync(aside, path), 'EEXIST');
  unlinkSync(aside);
  return isMeant;
}

/** False where it fails in the one way that another process may cause. */
function attempt(act: () => void, failure: string): boolean {
  try {
    act();
    return true;
  } catch (error) {
    if (errnoOf(error) !== failure) throw error;
    return false;
  }
}
