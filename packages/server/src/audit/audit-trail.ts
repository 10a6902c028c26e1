import { closeSync, constants, fstatSync, lstatSync, openSync, renameSync, writeSync } from 'node:fs';
import type { Disposable } from '@rootward/core';
import { RootwardServerError } from '../error.js';

/** One decision about one path. Holds no contents. */
export interface AuditRecord {
  /** Tells the connections of one server apart. Not the session id of HTTP, which would let its reader in. */
  readonly session: string;
  readonly tool: string;
  /** As the caller wrote it. */
  readonly path: string;
  readonly decision: 'allowed' | 'refused';
  readonly reason?: string;
}

export interface AuditTrailOptions {
  readonly file: string;
  /** A file that would grow beyond this is put aside as `<file>.1`, in place of the one before. */
  readonly maxBytes?: number;
  readonly now?: () => Date;
  /** Told once when a line cannot be written; the server goes on. */
  readonly onFailure?: (error: unknown) => void;
}

const MOST_BYTES = 10 * 1024 * 1024;
/** A path that long does not exist; a line must stay a line a reader can take. */
const LONGEST_PATH = 4096;
/** Paths of all clients end up here: for the owner's eyes. */
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

/**
 * Appends decisions to a file as JSON lines. Written at once and in order, so that a server that is killed has told
 * everything it did.
 */
export class AuditTrail implements Disposable {
  readonly #options: AuditTrailOptions;
  readonly #maxBytes: number;
  #descriptor: number | undefined;
  #failed = false;

  constructor(options: AuditTrailOptions) {
    this.#options = options;
    this.#maxBytes = options.maxBytes ?? MOST_BYTES;
    try {
      this.#open();
    } catch (cause) {
      const state = describeFault(cause);
      throw new RootwardServerError('usage', `Cannot write the audit file ${options.file}: ${state}`, {
        cause,
      });
    }
  }

  record({ session, tool, path, decision, reason }: AuditRecord): void {
    const time = (this.#options.now?.() ?? new Date()).toISOString();
    const line = JSON.stringify({
      time,
      session,
      tool,
      path: path.slice(0, LONGEST_PATH),
      decision,
      ...(reason !== undefined && { reason }),
    });
    this.#attempt(() => this.#append(Buffer.from(`${line}\n`)));
  }

  dispose(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  #attempt(step: () => void): void {
    try {
      step();
    } catch (error) {
      if (!this.#failed) this.#options.onFailure?.(error);
      this.#failed = true;
    }
  }

  #append(bytes: Buffer): void {
    if (this.#descriptor !== undefined) {
      // Asked every time: each client starts a server of its own, and they may share the file.
      const { size, ino } = fstatSync(this.#descriptor);
      if (size > 0 && size + bytes.length > this.#maxBytes) this.#attempt(() => this.#rotate(ino));
    }
    if (this.#descriptor !== undefined) writeSync(this.#descriptor, bytes);
  }

  /** What another server has put aside already is not put aside again: that would push out what it holds. */
  #rotate(full: number): void {
    const { file } = this.#options;
    const isNamed = lstatSync(file, { throwIfNoEntry: false })?.ino === full;
    this.dispose();
    try {
      if (isNamed) renameSync(file, `${file}.1`);
    } finally {
      // A file that is too long is better than decisions nobody can read about.
      this.#open();
    }
  }

  #open(): void {
    const { O_WRONLY, O_APPEND, O_CREAT } = constants;
    // A link under the file's name would send the trail, and with it the rotation, somewhere else.
    const flags = O_WRONLY | O_APPEND | O_CREAT | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
    this.#descriptor = openSync(this.#options.file, flags, OWNER_ONLY);
  }
}
