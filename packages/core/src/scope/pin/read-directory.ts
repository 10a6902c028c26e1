import { opendirSync, type Dir, type Dirent } from 'node:fs';
import type { Pin } from './pin.js';
import { errnoOf } from '../../platform/errno.js';

const DIRECTORY_BUFFER = 256;

function openOrSkip(directory: Pin, skipUnreadable: boolean): Dir | undefined {
  try {
    return opendirSync(directory.self, { bufferSize: DIRECTORY_BUFFER });
  } catch (error) {
    if (skipUnreadable && errnoOf(error) === 'EACCES') return undefined;
    throw error;
  }
}

/** Reads a pinned folder piece by piece, so that memory does not grow with the size of the folder. */
export function* readPinned(directory: Pin, options: { skipUnreadable?: boolean } = {}): Generator<Dirent> {
  const handle = openOrSkip(directory, options.skipUnreadable === true);
  if (handle === undefined) return;
  try {
    for (let entry = handle.readSync(); entry !== null; entry = handle.readSync()) yield entry;
  } finally {
    handle.closeSync();
  }
}
