import { closeSync, fstatSync, lstatSync, lutimesSync, readSync, renameSync, unlinkSync } from 'node:fs';
import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import type { Pacer } from '../../platform/pacing.js';
import { hashOf } from '../../scope/recording/content-hash.js';
import { COMPRESSED, HALF_WRITTEN } from '../store/content-store.js';
import { entriesOf } from '../store/open-store.js';
import type { PrivateDirectory } from '../store/private-directory.js';
import { createPrivate, openToRead, usingDescriptor, writeWhole } from '../store/private-file.js';

const deflateAsync = promisify(deflateRaw);

/** A disk gives a file whole blocks: less than this saves none. */
const MIN_BYTES = 8 * 1024;
const MAX_BYTES = 8 * 1024 * 1024;
/** If it saves less than a quarter, it is not worth the time to decompress it later. */
const PAYS = 0.75;
/** Set as the access time of a content that does not get smaller, so that it is not tried again. */
const TRIED = new Date(0);
const HASH_NAME = /^[0-9a-f]{64}$/;

/**
 * Compresses contents that were not used for a while. Not done when they are kept, because it takes longer than writing
 * the file.
 */
export async function compressContents(
  directory: PrivateDirectory,
  pacer: Pacer,
  before: number,
): Promise<void> {
  for (const name of entriesOf(directory)) {
    if (pacer.due) await pacer.rest();
    const path = directory.child(name);
    const stats = HASH_NAME.test(name) ? lstatSync(path, { throwIfNoEntry: false }) : undefined;
    if (stats?.isFile() !== true || stats.mtimeMs > before || stats.atimeMs === TRIED.getTime()) continue;
    if (stats.size < MIN_BYTES || stats.size > MAX_BYTES) continue;
    const bytes = readWhole(path);
    if (hashOf(bytes) !== name) {
      // Left half-written by a process that was killed; the whole of it may be there already, compressed.
      unlinkSync(path);
      continue;
    }
    const packed = await deflateAsync(bytes);
    if (packed.length > stats.size * PAYS) {
      lutimesSync(path, TRIED, stats.mtime);
      continue;
    }
    const half = directory.child(`${HALF_WRITTEN}${name}${COMPRESSED}`);
    usingDescriptor(createPrivate(half), (fd) => writeWhole(fd, packed));
    lutimesSync(half, stats.atime, stats.mtime);
    renameSync(half, path + COMPRESSED);
    unlinkSync(path);
  }
}

function readWhole(path: string): Buffer {
  const fd = openToRead(path);
  try {
    const buffer = Buffer.allocUnsafe(fstatSync(fd).size);
    return buffer.subarray(0, readSync(fd, buffer, 0, buffer.length, 0));
  } finally {
    closeSync(fd);
  }
}
