import { closeSync, read, readSync } from 'node:fs';
import { promisify } from 'node:util';

const readAsync = promisify(read);

/** Up to this size one blocking read from the page cache (about 20 µs) beats a trip through the thread pool. */
export const SMALL_READ: number = 64 * 1024;

export const CHUNK_SIZE: number = 256 * 1024;

/** Reads an opened file at given positions: blocking while it is small, through the thread pool otherwise. */
export class FileReader {
  readonly #fd: number;
  readonly #signal: AbortSignal | undefined;

  constructor(fd: number, signal?: AbortSignal) {
    this.#fd = fd;
    this.#signal = signal;
  }

  /** Fills as much of `length` bytes from `position` as the file has. */
  async read(position: number, length: number): Promise<Buffer> {
    this.#signal?.throwIfAborted();
    const buffer = Buffer.allocUnsafe(length);
    let filled = 0;
    while (filled < length) {
      const count =
        length <= SMALL_READ
          ? readSync(this.#fd, buffer, filled, length - filled, position + filled)
          : (
              await readAsync(
                this.#fd,
                buffer,
                filled,
                Math.min(CHUNK_SIZE, length - filled),
                position + filled,
              )
            ).bytesRead;
      if (count === 0) break;
      filled += count;
      this.#signal?.throwIfAborted();
    }
    return filled === length ? buffer : buffer.subarray(0, filled);
  }

  close(): void {
    closeSync(this.#fd);
  }
}
