import type { Socket } from 'node:net';

/** A state with thousands of roots stays below it; a longer line is not one of our messages. */
const MAX_LINE_BYTES = 8 * 1024 * 1024;

/** What waits for a side that does not read: a page that stands still must not fill the memory of what it shows. */
const MAX_WAITING_BYTES = 2 * MAX_LINE_BYTES;

/** Reads and writes JSON documents, one per line. A line that is too long or no JSON ends the connection. */
export class JsonLines {
  readonly #socket: Socket;
  #rest = '';

  constructor(socket: Socket, receive: (message: unknown) => void) {
    this.#socket = socket;
    socket.setEncoding('utf8');
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk: string) => {
      this.#rest += chunk;
      if (this.#rest.length > MAX_LINE_BYTES) {
        socket.destroy();
        return;
      }
      const lines = this.#rest.split('\n');
      this.#rest = lines.pop() ?? '';
      for (const line of lines) {
        if (socket.destroyed) return;
        let message: unknown;
        try {
          message = JSON.parse(line);
        } catch {
          socket.destroy();
          return;
        }
        receive(message);
      }
    });
  }

  /** Ends the connection where the other side has not kept up for long. */
  send(message: unknown): void {
    if (this.#socket.destroyed) return;
    if (this.#socket.writableLength > MAX_WAITING_BYTES) this.end();
    else this.#socket.write(`${JSON.stringify(message)}\n`);
  }

  end(): void {
    this.#socket.destroy();
  }
}
