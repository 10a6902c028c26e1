import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';

/** Whether an operation is safe on this system if a path is swapped while it runs. */
export type Guarantee = 'race-free' | 'best-effort';

/** What a scope can be asked to do, by the name of the method. */
export type Operation =
  | 'contains'
  | 'locate'
  | 'open'
  | 'lend'
  | 'readText'
  | 'readBytes'
  | 'write'
  | 'mkdir'
  | 'list'
  | 'stat'
  | 'rename'
  | 'copy'
  | 'remove'
  | 'walk';

/**
 * A file system object that is held, so that the object that was checked is the one that is used. Names handed out by a
 * pin are for the system calls of this folder and never leave it.
 */
export interface Pin {
  /** Where the object is, as the system itself says; decisions are made on this. */
  readonly path: string;
  readonly stats: Stats;
  /** A name that leads to this object, to be opened again or read as a directory. */
  readonly self: string;
  /** A name for an entry of this directory. Does not stop the last component from being a link. */
  child(name: string): string;
  /** Opens the object again for use. Fails when it is no longer the object that was pinned. */
  reopen(flags: number): number;
  reopenHandle(flags: number): Promise<FileHandle>;
  /** Whether the object has left the path it was pinned at. Known only where the system can be asked. */
  hasMoved(): boolean;
  close(): void;
}

/** Options of `Platform.pin()`. */
export interface PinOptions {
  /** Fail with ENOTDIR unless the object is a directory. */
  readonly directory?: boolean;
  /** Pin a final link itself instead of what it leads to. Links further up are always followed. */
  readonly noFollow?: boolean;
}

/** How this system holds objects. One per process is enough; it keeps nothing about any scope. */
export interface Platform {
  guarantee(operation: Operation): Guarantee;
  /** Throws the system's own errors; ESTALE when the path keeps changing, EILSEQ when it is not valid UTF-8. */
  pin(path: string, options?: PinOptions): Pin;
}

/** How often a path that changes underneath is resolved again before it is given up as unstable. */
export const MAX_PIN_ATTEMPTS = 16;

/**
 * The path kept changing. A system error number, so that callers map it to ours together with the path as asked.
 */
export function unstablePath(): Error {
  return Object.assign(new Error('ESTALE: the path keeps changing while it is resolved'), { code: 'ESTALE' });
}
