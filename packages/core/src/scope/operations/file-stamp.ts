import type { Stats } from 'node:fs';

/** A stamp that a file has until it is changed or replaced. Of the times, `ctimeMs` is the one that nobody can set. */
export interface FileStamp {
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
}

/** The times of FAT are in steps of two seconds; those of other disks are finer. */
const COARSEST_CLOCK_MS = 3_000;

/** Whether a file changed so long ago that another change shows in its times. */
export function isAtRest({ mtimeMs, ctimeMs }: Stats): boolean {
  return Date.now() - Math.max(mtimeMs, ctimeMs) >= COARSEST_CLOCK_MS;
}

export function stampOf({ dev, ino, size, mtimeMs, ctimeMs }: Stats): FileStamp {
  return { dev, ino, size, mtimeMs, ctimeMs };
}
