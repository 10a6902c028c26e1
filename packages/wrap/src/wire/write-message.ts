import type { Writable } from 'node:stream';

/** Small messages are one write; large ones are not copied for that. */
const MAX_JOINED_BYTES = 64 * 1024;
const NEWLINE = Buffer.from('\n');

/** Writes one message, given in pieces, and ends its line. */
export function writeMessage(stream: Writable, pieces: readonly Buffer[]): void {
  let size = 0;
  for (const { length } of pieces) size += length;
  if (size <= MAX_JOINED_BYTES) {
    stream.write(Buffer.concat([...pieces, NEWLINE], size + 1));
    return;
  }
  stream.cork();
  for (const piece of pieces) stream.write(piece);
  stream.write(NEWLINE);
  stream.uncork();
}
