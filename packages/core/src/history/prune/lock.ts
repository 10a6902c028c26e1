import { randomBytes } from 'node:crypto';
import { lstatSync, renameSync, unlinkSync } from 'node:fs';
import { disposable, type Disposable } from '../../platform/disposable.js';
import { errnoOf } from '../../platform/errno.js';
import type { PrivateDirectory } from '../store/private-directory.js';
import { createPrivate, usingDescriptor } from '../store/private-file.js';

const LOCK = 'tidying';
/** A holder that keeps it longer was killed. */
const STALE_MS = 10 * 60 * 1000;

/** Lets one process at a time replace journals. Undefined while another one holds the lock. */
export function takeLock(directory: PrivateDirectory): Disposable | undefined {
  const path = directory.child(LOCK);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats !== undefined) {
    if (Date.now() - stats.mtimeMs < STALE_MS) return undefined;
    discardStale(directory, path);
  }
  try {
    usingDescriptor(createPrivate(path), () => undefined);
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return undefined;
    throw error;
  }
  return disposable(() => unlinkSync(directory.child(LOCK)));
}

/**
 * Renamed first: if two processes find the lock stale, only one removes it, and neither removes a lock that the other
 * has taken since.
 */
function discardStale(directory: PrivateDirectory, path: string): void {
  const aside = directory.child(`${LOCK}-${randomBytes(6).toString('hex')}`);
  try {
    renameSync(path, aside);
    unlinkSync(aside);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
}
