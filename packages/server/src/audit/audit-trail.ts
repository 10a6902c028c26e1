import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Disposable } from '@rootward/core';
import { ProcessLocks } from '@rootward/core/platform';
import { RootwardServerError } from '../error.js';

/** One decision about one path. Holds no contents. */
export interface AuditRecord {
  /** When it was decided, in milliseconds; default: now. */
  readonly at?: number;
  /** Tells the connections of one server apart. Not the session id of HTTP, which would let its reader in. */
  readonly session: string;
  /** Who called, over HTTP: the names that `rootward revoke --principal` takes. */
  readonly principal?: readonly string[] | undefined;
  readonly tool: string;
  /** As the caller wrote it. */
  readonly path: string;
  readonly decision: 'allowed' | 'refused';
  readonly reason?: string | undefined;
}

export interface AuditTrailOptions {
  readonly file: string;
  /** A file that would grow beyond this is put aside as `<file>.1`, in place of the one before. */
  readonly maxBytes?: number;
  readonly now?: () => Date;
  /** Told once when a line cannot be written; the server goes on. */
  readonly onFailure?: (error: unknown) => void;
}

const MAX_BYTES = 10 * 1024 * 1024;
/** No real path is this long, and readers of the file must be able to take each line. */
const MAX_PATH_LENGTH = 4096;
/** Holds paths of all clients, so only the owner may read it. */
const OWNER_ONLY = 0o600;

const FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'a file is where its folder should be',
  EISDIR: 'it is a folder',
  EACCES: 'you have no permission',
  ELOOP: 'it is a link',
};

function describeFault(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  return FAULTS[code] ?? error.message;
}

/** Why a trail could not be written there, as a clause for an error message. Writes nothing. */
export function findAuditProblem(file: string): string | undefined {
  try {
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (stats?.isDirectory() === true) return cannotWrite(file, FAULTS['EISDIR']);
    if (stats?.isSymbolicLink() === true) return cannotWrite(file, FAULTS['ELOOP']);
    if (stats === undefined && !statSync(dirname(file)).isDirectory())
      return cannotWrite(file, FAULTS['ENOTDIR']);
    accessSync(stats === undefined ? dirname(file) : file, constants.W_OK);
    return undefined;
  } catch (error) {
    return cannotWrite(file, describeFault(error));
  }
}

function cannotWrite(file: string, state = 'it cannot be opened'): string {
  return `Cannot write the audit file ${file}: ${state}`;
}

/**
 * Appends decisions to a file as JSON lines. Written at once and in order, so that a server that is killed has told
 * everything it did. Several servers may share a file: when one puts it aside, the others go on in the new one.
 */
export class AuditTrail implements Disposable {
  readonly #options: AuditTrailOptions;
  readonly #maxBytes: number;
  #descriptor: number | undefined;
  #disposed = false;
  #failed = false;
  /** Where the last line we wrote ends. Behind it, or before the first, somebody else may have stopped midway. */
  #end = 0;

  constructor(options: AuditTrailOptions) {
    this.#options = options;
    this.#maxBytes = options.maxBytes ?? MAX_BYTES;
    try {
      this.#descriptor = this.#open();
    } catch (cause) {
      throw new RootwardServerError('usage', cannotWrite(options.file, describeFault(cause)), { cause });
    }
  }

  record({ at, session, principal, tool, path, decision, reason }: AuditRecord): void {
    const line = JSON.stringify({
      time: (at === undefined ? (this.#options.now?.() ?? new Date()) : new Date(at)).toISOString(),
      session,
      principal,
      tool,
      path: path.slice(0, MAX_PATH_LENGTH),
      decision,
      reason,
    });
    if (this.#disposed) return;
    this.#try(() => this.#append(`${line}\n`));
  }

  dispose(): void {
    this.#disposed = true;
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  #append(line: string): void {
    this.#follow();
    if (this.#descriptor === undefined) return;
    let { size } = fstatSync(this.#descriptor);
    if (size > 0 && size + Buffer.byteLength(line) > this.#maxBytes) {
      // A file that cannot be rotated grows: better than losing a decision.
      this.#try(() => this.#putAside());
      this.#follow();
      ({ size } = fstatSync(this.#descriptor));
    }
    // A full disk may have cut the last line off; this one must not continue it.
    const start = size !== this.#end && this.#isCutOff(size) ? '\n' : '';
    const bytes = Buffer.from(start + line);
    for (let written = 0; written < bytes.length;) {
      written += writeSync(this.#descriptor, bytes, written);
    }
    this.#end = size + bytes.length;
  }

  /** Whether the file stops midway in a line. A file that we may only write counts as whole. */
  #isCutOff(size: number): boolean {
    if (size === 0) return false;
    try {
      const reader = openSync(this.#options.file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
      try {
        const last = Buffer.alloc(1);
        return readSync(reader, last, 0, 1, size - 1) === 1 && last.toString() !== '\n';
      } finally {
        closeSync(reader);
      }
    } catch {
      return false;
    }
  }

  /** Switches to the file that has the name now, for example after somebody has put the old one aside. */
  #follow(): void {
    if (this.#isNamed()) return;
    this.#try(() => {
      const opened = this.#open();
      if (this.#descriptor !== undefined) closeSync(this.#descriptor);
      this.#descriptor = opened;
      this.#end = 0;
    });
  }

  #isNamed(): boolean {
    const named = lstatSync(this.#options.file, { throwIfNoEntry: false });
    if (named === undefined || this.#descriptor === undefined) return false;
    const { ino, dev } = fstatSync(this.#descriptor);
    return named.ino === ino && named.dev === dev;
  }

  /** One at a time: the second would put the new file over the old one, and all that is in there would be lost. */
  #putAside(): void {
    const { file } = this.#options;
    const lock = new ProcessLocks(dirname(file)).tryTake(`${basename(file)}.lock`);
    if (lock === undefined) return;
    try {
      if (this.#isNamed()) renameSync(file, `${file}.1`);
    } finally {
      lock.dispose();
    }
  }

  #try(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!this.#failed) this.#options.onFailure?.(error);
      this.#failed = true;
    }
  }

  #open(): number {
    const { O_WRONLY, O_APPEND, O_CREAT } = constants;
    // A link under the file's name would send the trail, and with it the rotation, somewhere else.
    const flags = O_WRONLY | O_APPEND | O_CREAT | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
    return openSync(this.#options.file, flags, OWNER_ONLY);
  }
}
