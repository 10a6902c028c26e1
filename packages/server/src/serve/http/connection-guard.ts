import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * How many connections there may be on which nobody has shown a token yet. Who has one shows it with the first bytes,
 * so such a connection stays here for milliseconds; whoever sends half a request stays, and makes way for the next.
 */
const MAX_STRANGERS = 128;
/** When an instance dies, all of its clients come at once: as many as wait in the queue of the system are heard first. */
const MAX_NEW = 512;
/** A token comes right after its connection. */
const HEARING_MS = 250;

/**
 * Keeps connections of strangers from taking the place of others: they have a share of their own, and the oldest of
 * them is dropped for the next. Half a request costs its sender the connection, and nobody else theirs.
 */
export class ConnectionGuard {
  /** In the order they came, with their numbers. */
  readonly #strangers = new Map<Socket, number>();
  #count = 0;
  #isHearing = false;

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#strangers.set(socket, (this.#count += 1));
      socket.once('close', () => this.#strangers.delete(socket));
      this.#drop(MAX_NEW, this.#count);
      this.#hear();
    });
  }

  /** Whoever sent this request has shown a token. The connection counts as known from now on. */
  admit({ socket }: IncomingMessage): void {
    this.#strangers.delete(socket);
  }

  /** Where no token is asked for, whoever sends whole requests is known. */
  admitWhenComplete(request: IncomingMessage): void {
    request.once('end', () => this.admit(request));
  }

  /**
   * Drops those that are too many after everyone had time, and what they sent was read: a process that is busy reads it
   * later, however much time has passed.
   */
  #hear(): void {
    if (this.#isHearing || this.#strangers.size <= MAX_STRANGERS) return;
    this.#isHearing = true;
    const newest = this.#count;
    setTimeout(() => {
      setImmediate(() => {
        this.#isHearing = false;
        this.#drop(MAX_STRANGERS, newest);
        this.#hear();
      });
    }, HEARING_MS).unref();
  }

  /** The oldest go first, up to the one with this number. */
  #drop(limit: number, newest: number): void {
    for (const [socket, number] of this.#strangers) {
      if (this.#strangers.size <= limit || number > newest) return;
      this.#strangers.delete(socket);
      socket.destroy();
    }
  }
}
