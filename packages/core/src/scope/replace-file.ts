import {
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fchownSync,
  ftruncateSync,
  linkSync,
  openSync,
  renameSync,
  unlinkSync,
  write,
  writeSync,
} from 'node:fs';
import type { Stats } from 'node:fs';
import { promisify } from 'node:util';
import { SMALL_READ } from './file-reader.js';
import type { Entry } from './gate.js';
import { errnoOf } from './refusal.js';
import type { TemporaryFiles } from './temporary-files.js';

const writeAsync = promisify(write);

const O_NOFOLLOW: number = constants.O_NOFOLLOW ?? 0;
const CREATE_FLAGS: number = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | O_NOFOLLOW;
const NEW_FILE_MODE = 0o666;
const PRIVATE_MODE = 0o600;
const PERMISSION_BITS = 0o7777;
const ACCESS_BITS = 0o777;
/** Only root may give files away, and in a container not even root to owners the container does not know (EINVAL). */
const CANNOT_GIVE_AWAY: ReadonlySet<string | undefined> = new Set(['EPERM', 'EINVAL']);
const NO_HARD_LINKS: ReadonlySet<string | undefined> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** What to keep of the file that is replaced. */
export type Predecessor = Pick<Stats, 'mode' | 'uid' | 'gid'>;

/** Fills an opened file from its start (or its end, when it was opened to append). */
export async function writeAll(fd: number, bytes: Uint8Array, signal?: AbortSignal): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    signal?.throwIfAborted();
    const length = Math.min(bytes.length - written, SMALL_READ * 16);
    written +=
      bytes.length <= SMALL_READ
        ? writeSync(fd, bytes, written, length)
        : (await writeAsync(fd, bytes, written, length)).bytesWritten;
  }
}

/**
 * For a file whose folder is out of scope. Not atomic: a reader may see a mixture, a crash may leave one. Cannot be
 * aborted, since that would leave one too.
 */
export async function overwriteInPlace(fd: number, bytes: Uint8Array): Promise<void> {
  await writeAll(fd, bytes);
  ftruncateSync(fd, bytes.length);
}

function keepOwnerAndMode(fd: number, predecessor: Predecessor): void {
  let kept = PERMISSION_BITS;
  try {
    fchownSync(fd, predecessor.uid, predecessor.gid);
  } catch (error) {
    if (!CANNOT_GIVE_AWAY.has(errnoOf(error))) throw error;
    // With another owner, setuid and setgid would lend the rights of somebody who never gave them.
    kept = ACCESS_BITS;
  }
  // After the owner: changing the owner clears setuid and setgid.
  fchmodSync(fd, predecessor.mode & kept);
}

function moveIntoPlace(entry: Entry, temporary: string, exclusive: boolean): void {
  if (!exclusive) {
    renameSync(temporary, entry.child);
    return;
  }
  try {
    // A hard link is the only way in Node to give a finished file a name that must not exist yet.
    linkSync(temporary, entry.child);
  } catch (error) {
    if (!NO_HARD_LINKS.has(errnoOf(error))) throw error;
    copyFileSync(temporary, entry.child, constants.COPYFILE_EXCL);
  }
  unlinkSync(temporary);
}

/**
 * Gives `entry` a new content in one step: other processes see the old file or the new one. The content is produced
 * in a temporary file of the same pinned directory, which is gone afterwards, also when producing it fails.
 */
export async function replaceFile(
  entry: Entry,
  temporaries: TemporaryFiles,
  fill: (fd: number, temporary: string) => Promise<void>,
  options: { readonly exclusive: boolean; readonly predecessor?: Predecessor | undefined },
): Promise<void> {
  temporaries.sweep(entry.parent);
  const temporary = entry.parent.child(temporaries.next());
  const { predecessor } = options;
  const fd = openSync(temporary, CREATE_FLAGS, predecessor === undefined ? NEW_FILE_MODE : PRIVATE_MODE);
  let open = true;
  try {
    await fill(fd, temporary);
    if (predecessor !== undefined) keepOwnerAndMode(fd, predecessor);
    closeSync(fd);
    open = false;
    moveIntoPlace(entry, temporary, options.exclusive);
  } catch (error) {
    if (open) closeSync(fd);
    unlinkSync(temporary);
    throw error;
  }
}
