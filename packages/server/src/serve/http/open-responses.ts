import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Connection {
  /** Responses that it waits for. */
  readonly open: Set<ServerResponse>;
  newest: ServerResponse | undefined;
}

/** How many requests may be sent before the first of them is answered. No client that we know sends a second one. */
const MAX_OPEN = 100;

/**
 * The responses that each connection waits for. Node hands over requests that were sent behind another one, before its
 * answer, at once; and it tells a response that its connection is gone only where it was its turn.
 */
export class OpenResponses {
  readonly #connections = new WeakMap<Socket, Connection>();

  /**
   * Serves a request after those that came before it on its connection are answered. Not after an answer that closes the
   * connection (RFC 9112, section 9.6): nobody would hear what became of it.
   */
  inTurn({ socket }: IncomingMessage, response: ServerResponse, serve: () => void): void {
    const connection = this.#connections.get(socket) ?? this.#add(socket);
    const { open, newest } = connection;
    if (open.size >= MAX_OPEN) {
      socket.destroy();
      return;
    }
    connection.newest = response;
    open.add(response);
    response.once('close', () => open.delete(response));
    const begin = (): void => {
      if (!socket.writableEnded && !socket.destroyed) serve();
    };
    if (newest === undefined || !open.has(newest)) begin();
    else newest.once('close', begin);
  }

  isBusy(socket: Socket): boolean {
    return (this.#connections.get(socket)?.open.size ?? 0) > 0;
  }

  #add(socket: Socket): Connection {
    const open = new Set<ServerResponse>();
    const connection = { open, newest: undefined };
    this.#connections.set(socket, connection);
    socket.once('close', () => {
      for (const waiting of open) if (waiting.socket === null) close(waiting);
    });
    return connection;
  }
}

function close(response: ServerResponse): void {
  response.destroy();
  response.emit('close');
}
