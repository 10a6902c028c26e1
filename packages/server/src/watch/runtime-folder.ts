import { lstatSync, mkdirSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';

/** Longer names of sockets are cut by the system, and then lead somewhere else. */
const MAX_SOCKET_PATH = 100;
const OTHERS = 0o077;

/** Makes the folder. False where it belongs to someone else, is a link, or is open to others: then it is not used. */
export function makeRuntimeFolder(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) return false;
  }
  return isOwnFolder(folder);
}

/** Whether nobody but this user could have put anything into a folder. */
export function isOwnFolder(folder: string): boolean {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && stats.uid === userInfo().uid && (stats.mode & OTHERS) === 0;
}

/** Where a process listens, or undefined where that name would be too long. */
export function socketPath(folder: string, pid: number): string | undefined {
  const path = join(folder, `${pid}.sock`);
  return path.length > MAX_SOCKET_PATH ? undefined : path;
}
