import type { Writable } from 'node:stream';

/** Small messages are one write; large ones are not copied for that. */
const MAX_JOINED_BYTES = 64 * 1024;
const NEWLINE_BYTE = 0x0a;
const NEWLINE = Buffer.of(NEWLINE_BYTE);

/** Writes one message, given in pieces, and ends its line. */
export function writeMessage(stream: Writable, pieces: readonly Buffer[]): void {
  let size = 0;
  for (const { length } of pieces) size += length;
  if (size <= MAX_JOINED_BYTES) {
    const line = Buffer.allocUnsafe(size + 1);
    let at = 0;
    for (const piece of pieces) {
      line.set(piece, at);
      at += piece.length;
    }
    line[size] = NEWLINE_BYTE;
    stream.write(line);
    return;
  }
  stream.cork();
  for (const piece of pieces) stream.write(piece);
  stream.write(NEWLINE);
  stream.uncork();
}
