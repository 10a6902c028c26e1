import type { IncomingMessage, ServerResponse } from 'node:http';

/** How long a client that was refused may go on sending before it has to have read the answer. */
const LINGER_MS = 5_000;

/**
 * Ends a response that was written before all of its request was read. Ending while a sender still sends resets the
 * connection, and most clients then report that instead of the answer. So what still comes is thrown away for a while.
 */
export function endAfterRequest(request: IncomingMessage, response: ServerResponse): void {
  if (request.readableEnded || request.destroyed) {
    response.end();
    return;
  }
  const patience = setTimeout(() => request.destroy(), LINGER_MS).unref();
  request.resume();
  for (const event of ['end', 'close']) {
    request.once(event, () => {
      clearTimeout(patience);
      response.end();
    });
  }
}
