import { errnoOf } from '@rootward/core/platform';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'you have no permission',
  EPERM: 'you have no permission',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a file is where a folder should be',
  EISDIR: 'it is a folder',
  ENOENT: 'it does not exist',
};

/** Why a file cannot be used, without its name; undefined for what is not one of the usual reasons. */
export function errnoReason(error: unknown): string | undefined {
  const code = errnoOf(error);
  return code === undefined ? undefined : REASONS[code];
}
