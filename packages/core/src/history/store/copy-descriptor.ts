import { read, readSync, write, writeSync } from 'node:fs';
import { promisify } from 'node:util';

const readAsync = promisify(read);
const writeAsync = promisify(write);

const SMALL = 64 * 1024;
const CHUNK = 1024 * 1024;

/**
 * Copies an opened file from its start: the first piece blocking, which is all of most files, and the rest
 * asynchronously.
 */
export async function copyDescriptor(
  from: number,
  to: number,
  also?: (chunk: Uint8Array) => void,
): Promise<number> {
  const first = Buffer.allocUnsafe(SMALL);
  const start = readSync(from, first, 0, SMALL, 0);
  also?.(first.subarray(0, start));
  for (let written = 0; written < start;) written += writeSync(to, first, written, start - written);
  if (start < SMALL) return start;
  const buffer = Buffer.allocUnsafe(CHUNK);
  for (let size = start; ;) {
    const { bytesRead } = await readAsync(from, buffer, 0, CHUNK, size);
    if (bytesRead === 0) return size;
    also?.(buffer.subarray(0, bytesRead));
    for (let written = 0; written < bytesRead;) {
      written += (await writeAsync(to, buffer, written, bytesRead - written)).bytesWritten;
    }
    size += bytesRead;
  }
}
