import { createHash, hash as digest } from 'node:crypto';
import { read, readSync } from 'node:fs';
import { promisify } from 'node:util';

const readAsync = promisify(read);

const SMALL = 64 * 1024;
const CHUNK = 1024 * 1024;

/** What a file holds, by name. */
export interface Content {
  readonly hash: string;
  readonly size: number;
}

export function hashOf(bytes: Uint8Array): string {
  return digest('sha256', bytes, 'hex');
}

/** What a small file holds, of which `size` bytes are known to be there; less where it was cut off meanwhile. */
export function readSmall(fd: number, size: number): Buffer {
  const buffer = Buffer.allocUnsafe(size);
  let filled = 0;
  for (let count = -1; count !== 0 && filled < size; filled += count) {
    count = readSync(fd, buffer, filled, size - filled, filled);
  }
  return buffer.subarray(0, filled);
}

/** The hash of an opened file from its start to its end, then of `appended`. */
export async function hashDescriptor(fd: number, appended?: Uint8Array): Promise<Content> {
  const hash = createHash('sha256');
  const first = Buffer.allocUnsafe(SMALL);
  let size = readSync(fd, first, 0, SMALL, 0);
  hash.update(first.subarray(0, size));
  const buffer = size < SMALL ? first : Buffer.allocUnsafe(CHUNK);
  while (size >= SMALL) {
    const { bytesRead } = await readAsync(fd, buffer, 0, CHUNK, size);
    if (bytesRead === 0) break;
    hash.update(buffer.subarray(0, bytesRead));
    size += bytesRead;
  }
  if (appended !== undefined) hash.update(appended);
  return { hash: hash.digest('hex'), size: size + (appended?.length ?? 0) };
}
