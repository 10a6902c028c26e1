import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  unlinkSync,
  write,
  writeSync,
} from 'node:fs';
import type { Stats } from 'node:fs';
import { promisify } from 'node:util';
import { SMALL_READ } from './file-reader.js';
import type { Entry } from '../gate/gate.js';
import { errnoOf } from '../../platform/errno.js';
import { placeOf, type Changes } from '../recording/changes.js';
import { priorAt, type Plan } from '../recording/recorder.js';
import type { TemporaryFiles } from './temporary-files.js';

const writeAsync = promisify(write);

const CREATE_FLAGS: number =
  constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
/** Opened for reading, too, where a recorder reads the content again. */
const RECORDED_FLAGS: number =
  constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
const NEW_FILE_MODE = 0o666;
const PRIVATE_MODE = 0o600;
const PERMISSION_BITS = 0o7777;
const SET_ID_BITS = 0o6000;
const GROUP_BITS = 0o070;
const WRITE_CHUNK: number = 1024 * 1024;
const NO_HARD_LINKS: ReadonlySet<string | undefined> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);
/**
 * Only root may change the owner of a file; in a container, not even root can choose an owner unknown to it (EINVAL).
 */
const CANNOT_GIVE_AWAY: ReadonlySet<string | undefined> = new Set(['EPERM', 'EINVAL']);
const KEEP_ID = -1;

/** What to keep of the file that is replaced. */
type Predecessor = Pick<Stats, 'mode' | 'uid' | 'gid'>;

/** What every change of a file needs of its scope. */
export interface Writing {
  readonly temporaries: TemporaryFiles;
  readonly changes: Changes;
}

export interface ReplaceOptions {
  /** Fail when the entry exists by the time the content is complete. */
  readonly exclusive: boolean;
  readonly predecessor?: Predecessor | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Throws unless the entry may be replaced; called when the content is complete. */
  readonly check?: (() => void | Promise<void>) | undefined;
  /** What is filled in, where it is at hand. */
  readonly content?: Uint8Array | undefined;
}

/** Fills an opened file from its start (or its end, when it was opened to append). */
export async function writeAll(fd: number, bytes: Uint8Array, signal?: AbortSignal): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    signal?.throwIfAborted();
    const length = Math.min(bytes.length - written, WRITE_CHUNK);
    written +=
      bytes.length <= SMALL_READ
        ? writeSync(fd, bytes, written, length)
        : (await writeAsync(fd, bytes, written, length)).bytesWritten;
  }
}

/**
 * For a file whose folder is out of scope. Not atomic: a reader may see a mixture, a crash may leave one. It cannot be
 * aborted, since that would leave one too.
 */
export async function overwriteInPlace(fd: number, bytes: Uint8Array): Promise<void> {
  await writeAll(fd, bytes);
  ftruncateSync(fd, bytes.length);
}

function tryOwner(fd: number, uid: number, gid: number): boolean {
  try {
    fchownSync(fd, uid, gid);
    return true;
  } catch (error) {
    if (CANNOT_GIVE_AWAY.has(errnoOf(error))) return false;
    throw error;
  }
}

/** Keeps owner, group and mode. If one of them cannot be kept, nobody gets more rights than before. */
function keepOwnerAndMode(fd: number, { mode, uid, gid }: Predecessor): void {
  const owner = tryOwner(fd, uid, gid);
  const group = owner || tryOwner(fd, KEEP_ID, gid);
  let kept = mode & PERMISSION_BITS;
  if (!owner) kept &= ~SET_ID_BITS;
  if (!group) kept &= ~GROUP_BITS | ((mode & 0o007) << 3);
  // After the owner: changing the owner clears setuid and setgid.
  fchmodSync(fd, kept);
}

function moveIntoPlace(entry: Entry, temporary: string, exclusive: boolean): void {
  if (!exclusive) {
    renameSync(temporary, entry.child);
    return;
  }
  try {
    // A hard link is the only way in Node to give a finished file a name that must not exist yet.
    linkSync(temporary, entry.child);
    unlinkSync(temporary);
  } catch (error) {
    if (!NO_HARD_LINKS.has(errnoOf(error))) throw error;
    if (lstatSync(entry.child, { throwIfNoEntry: false }) !== undefined) {
      throw Object.assign(new Error('EEXIST: file already exists'), { code: 'EEXIST' });
    }
    renameSync(temporary, entry.child);
  }
}

function discard(temporary: string): void {
  try {
    unlinkSync(temporary);
  } catch {
    // Already in place or gone; the first failure is the one to report.
  }
}

/**
 * Gives `entry` a new content in one step: other processes see the old file or the new one. The content is produced
 * in a temporary file of the same pinned directory, which is gone afterwards, also when producing it fails.
 */
export async function replaceFile(
  entry: Entry,
  { temporaries, changes }: Writing,
  fill: (fd: number) => Promise<void>,
  options: ReplaceOptions,
): Promise<void> {
  await temporaries.sweep(entry.parent, options.signal);
  const temporary = temporaries.begin(entry.parent);
  const mode = options.predecessor === undefined ? NEW_FILE_MODE : PRIVATE_MODE;
  try {
    const fd = openSync(temporary, changes.isRecorded ? RECORDED_FLAGS : CREATE_FLAGS, mode);
    await fillAndMove(fd, temporary, entry, changes, fill, options);
  } finally {
    temporaries.end(temporary);
  }
}

async function fillAndMove(
  fd: number,
  temporary: string,
  entry: Entry,
  changes: Changes,
  fill: (fd: number) => Promise<void>,
  { predecessor, exclusive, check, content, signal }: ReplaceOptions,
): Promise<void> {
  try {
    try {
      await fill(fd);
      if (predecessor !== undefined) keepOwnerAndMode(fd, predecessor);
      const plan = (): Plan => planOf(entry, fd, content);
      await changes.commit({ places: [placeOf(entry)], plan, check, signal }, () => {
        moveIntoPlace(entry, temporary, exclusive);
      });
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    discard(temporary);
    throw error;
  }
}

function planOf(entry: Entry, fd: number, content: Uint8Array | undefined): Plan {
  const mode = fstatSync(fd).mode & PERMISSION_BITS;
  return {
    kind: 'put',
    path: entry.placement.path,
    prior: priorAt(entry.child),
    next: { kind: 'file', mode, content: content ?? fd },
  };
}
