import { closeSync, constants, openSync, writeSync } from 'node:fs';

const O_NOFOLLOW: number = constants.O_NOFOLLOW ?? 0;
const O_NONBLOCK: number = constants.O_NONBLOCK ?? 0;
const PRIVATE_MODE = 0o600;

const CREATE: number = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | O_NOFOLLOW;
const APPEND: number = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | O_NOFOLLOW | O_NONBLOCK;
const READ: number = constants.O_RDONLY | O_NOFOLLOW | O_NONBLOCK;

/** Makes a new file; fails if the name exists, even as a link. */
export function createPrivate(path: string): number {
  return openSync(path, CREATE, PRIVATE_MODE);
}

export function openToAppend(path: string): number {
  return openSync(path, APPEND, PRIVATE_MODE);
}

export function openToRead(path: string): number {
  return openSync(path, READ);
}

/** Writes everything in one call, so that lines of several processes never mix. On a full disk only a part may be written. */
export function writeWhole(fd: number, bytes: Uint8Array): void {
  const written = writeSync(fd, bytes);
  if (written < bytes.length) throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
}

export function usingDescriptor<Result>(fd: number, use: (fd: number) => Result): Result {
  try {
    return use(fd);
  } finally {
    closeSync(fd);
  }
}
