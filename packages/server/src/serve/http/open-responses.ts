import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The responses that each connection waits for. Node tells a response that its connection is gone only where it was its
 * turn: those of requests that were sent behind another one, before its answer, would never hear of it.
 */
export class OpenResponses {
  readonly #open = new WeakMap<Socket, Set<ServerResponse>>();

  /** Every response goes through here when its request has come. */
  follow({ socket }: IncomingMessage, response: ServerResponse): void {
    const known = this.#open.get(socket);
    const responses = known ?? new Set();
    response.once('close', () => responses.delete(response));
    responses.add(response);
    if (known !== undefined) return;
    this.#open.set(socket, responses);
    socket.once('close', () => {
      for (const waiting of responses) if (waiting.socket === null) close(waiting);
    });
  }

  isBusy(socket: Socket): boolean {
    return (this.#open.get(socket)?.size ?? 0) > 0;
  }
}

function close(response: ServerResponse): void {
  response.destroy();
  response.emit('close');
}
