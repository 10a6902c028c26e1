import { CHUNK_SIZE, type FileReader } from './file-reader.js';

const NEWLINE = 0x0a;

export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds `limit` lines after skipping `offset` of them, reading no further than needed and keeping one chunk at a time.
 * The end of a range beyond `most` bytes is not looked for: the reader cuts it there.
 */
export async function findLines(
  reader: FileReader,
  size: number,
  offset: number,
  limit: number,
  most: number = Number.POSITIVE_INFINITY,
): Promise<ByteRange> {
  let start = offset === 0 ? 0 : size;
  let lines = 0;
  if (limit === 0) return { start: 0, end: 0 };
  for (let position = 0; position < size;) {
    if (lines >= offset && (limit === Number.POSITIVE_INFINITY || position - start > most)) break;
    const chunk = await reader.read(position, Math.min(CHUNK_SIZE, size - position));
    if (chunk.length === 0) break;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) {
      lines++;
      if (lines === offset) start = position + at + 1;
      if (lines === offset + limit) return { start, end: position + at + 1 };
    }
    position += chunk.length;
  }
  return { start, end: size };
}

/**
 * Finds the last `count` lines by reading backwards. A newline at the very end closes a line, it does not start one. The
 * start of a range beyond `most` bytes is not looked for.
 */
export async function findTail(
  reader: FileReader,
  size: number,
  count: number,
  most: number = Number.POSITIVE_INFINITY,
): Promise<ByteRange> {
  if (count === 0) return { start: size, end: size };
  let lines = 0;
  for (let end = size; end > 0 && size - end <= most;) {
    const start = Math.max(0, end - CHUNK_SIZE);
    const chunk = await reader.read(start, end - start);
    let at = chunk.length - 1;
    if (end === size && chunk[at] === NEWLINE) at--;
    for (
      at = at < 0 ? -1 : chunk.lastIndexOf(NEWLINE, at);
      at >= 0;
      at = at === 0 ? -1 : chunk.lastIndexOf(NEWLINE, at - 1)
    ) {
      lines++;
      if (lines === count) return { start: start + at + 1, end: size };
    }
    end = start;
  }
  return { start: 0, end: size };
}
