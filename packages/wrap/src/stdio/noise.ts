import type { Writable } from 'node:stream';

/** The most that is kept for a reader of stderr. */
const MAX_BACKLOG_BYTES = 256 * 1024;

/** Passes output that is no message on to stderr, and drops it where nobody reads that fast enough. */
export function noiseTo(stderr: Writable): (bytes: Buffer) => void {
  let dropped = 0;
  return (bytes) => {
    if (stderr.writableLength > MAX_BACKLOG_BYTES) {
      dropped += bytes.length;
      return;
    }
    if (dropped > 0) {
      stderr.write(`\nrootward: ${String(dropped)} bytes of output were dropped\n`);
      dropped = 0;
    }
    // A copy: a small piece would keep the whole chunk it was read with.
    stderr.write(Buffer.from(bytes));
  };
}
