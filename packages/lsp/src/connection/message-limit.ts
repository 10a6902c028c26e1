import type { Readable } from 'node:stream';
import type { MessageReader } from 'vscode-jsonrpc/node';

/** The largest message accepted from a server. The reader would collect whatever length a header announces. */
const MAX_MESSAGE_BYTES: number = 32 * 1024 * 1024;

/**
 * Calls back once if more bytes have come than a message may have and none is complete. Only counts bytes, and does not
 * parse them.
 */
export function limitMessages(
  stream: Readable,
  reader: MessageReader,
  tooLarge: (reason: string) => void,
  limit: number = MAX_MESSAGE_BYTES,
): void {
  let pending = 0;
  const count = (chunk: Buffer): void => {
    pending += chunk.length;
    if (pending <= limit) return;
    stream.off('data', count);
    stream.pause();
    tooLarge(`it sent a message of more than ${limit / 1024 / 1024} MB`);
  };
  stream.on('data', count);
  const listen = reader.listen.bind(reader);
  reader.listen = (callback) =>
    listen((message) => {
      pending = 0;
      callback(message);
    });
}
