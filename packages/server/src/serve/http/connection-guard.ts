import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * How many connections there may be on which nobody has shown a token yet. Who has one shows it with the first bytes,
 * so such a connection stays here for milliseconds; whoever sends half a request stays, and makes way for the next.
 */
const MAX_STRANGERS = 128;

/**
 * Keeps connections of strangers from taking the place of others: they have a share of their own, and the oldest of
 * them is dropped for the next. Half a request costs its sender the connection, and nobody else theirs.
 */
export class ConnectionGuard {
  /** Oldest first. */
  readonly #strangers = new Set<Socket>();

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#strangers.add(socket);
      socket.once('close', () => this.#strangers.delete(socket));
      const [oldest] = this.#strangers;
      if (this.#strangers.size > MAX_STRANGERS) oldest?.destroy();
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
}
