import { closeSync, fstatSync, readSync } from 'node:fs';
import { Pacer } from '../../platform/pacing.js';
import { errnoOf } from '../../platform/errno.js';
import type { PrivateDirectory } from '../store/private-directory.js';
import { openToAppend, openToRead, writeWhole } from '../store/private-file.js';
import { decodeLine, encodeLine, type Line } from './line.js';

export const JOURNAL_FILE = 'journal';
const CHUNK = 256 * 1024;
const LINE_BREAK = 0x0a;
const MAX_REWRITES = 16;

/** A line, and where it stands: a later line has a higher position. */
export interface PlacedLine {
  readonly line: Line;
  readonly position: number;
}

/**
 * Lines that are only added, by any number of processes at once: each is written in one call at the end of the file.
 * Pruning replaces the file by a shorter one, which a writer notices after it has written.
 */
export class Journal {
  readonly #directory: PrivateDirectory;
  #fd: number | undefined;

  constructor(directory: PrivateDirectory) {
    this.#directory = directory;
  }

  append(line: Line): void {
    const bytes = encodeLine(line);
    for (let attempt = 0; attempt < MAX_REWRITES; attempt++) {
      const fd = (this.#fd ??= openToAppend(this.#directory.child(JOURNAL_FILE)));
      writeWhole(fd, bytes);
      // The file was replaced: the line may have been carried over or not. Writing it twice is harmless, losing it is
      // not.
      if (fstatSync(fd).nlink > 0) return;
      this.close();
    }
    throw Object.assign(new Error('ESTALE: the journal keeps being replaced'), { code: 'ESTALE' });
  }

  /** Whether it is being written to, and is still the file of this name: then the folders above it are there, too. */
  get isInPlace(): boolean {
    return this.#fd !== undefined && fstatSync(this.#fd).nlink > 0;
  }

  /** Newest first, of lines that have `word` in them where one is given. What is added while it is read is not seen. */
  async *backwards(signal?: AbortSignal, word?: string): AsyncGenerator<PlacedLine, void> {
    const fd = openIfThere(this.#directory.child(JOURNAL_FILE));
    if (fd === undefined) return;
    try {
      const pacer = new Pacer(signal);
      for (const { bytes, position } of rawLinesBackwards(fd)) {
        if (pacer.due) await pacer.rest();
        const line = word === undefined || bytes.includes(word) ? decodeLine(bytes) : undefined;
        if (line !== undefined) yield { line, position };
      }
    } finally {
      closeSync(fd);
    }
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }
}

export function openIfThere(path: string): number | undefined {
  try {
    return openToRead(path);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Read from the end, since readers mostly want the newest lines. */
function* rawLinesBackwards(fd: number): Generator<{ bytes: Buffer; position: number }> {
  let end = fstatSync(fd).size;
  // The end of a line whose start is in the part that is read next.
  let rest: Buffer = Buffer.alloc(0);
  while (end > 0) {
    const start = Math.max(0, end - CHUNK);
    const chunk = Buffer.allocUnsafe(end - start);
    const count = readSync(fd, chunk, 0, chunk.length, start);
    const bytes = Buffer.concat([chunk.subarray(0, count), rest]);
    let stop = bytes.length;
    for (
      let at = bytes.lastIndexOf(LINE_BREAK);
      at >= 0;
      at = at === 0 ? -1 : bytes.lastIndexOf(LINE_BREAK, at - 1)
    ) {
      if (at + 1 < stop) yield { bytes: bytes.subarray(at + 1, stop), position: start + at + 1 };
      stop = at;
    }
    rest = bytes.subarray(0, stop);
    end = start;
  }
  if (rest.length > 0) yield { bytes: rest, position: 0 };
}
