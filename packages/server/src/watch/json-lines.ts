import type { Socket } from 'node:net';

/** A state with thousands of roots stays below it; a longer line is not one of our messages. */
const MAX_LINE_BYTES = 8 * 1024 * 1024;

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

  /** False while the other side does not keep up. */
  send(message: unknown): boolean {
    if (this.#socket.destroyed) return false;
    return this.#socket.write(`${JSON.stringify(message)}\n`);
  }
}
