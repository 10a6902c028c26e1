import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type {
  JSONRPCMessage,
  RequestId,
  Transport,
  WebStandardStreamableHTTPServerTransportOptions,
} from '@modelcontextprotocol/server';

/** As in the Language Server Protocol; MCP has no code of its own for it. */
const CANCELLED = -32_800;

/**
 * Streamable HTTP for one session, which says whether a question of ours can travel inside a request of the client,
 * and whether requests of the client are under way.
 */
export class SessionTransport extends WebStandardStreamableHTTPServerTransport {
  /** With JSON responses there is no stream a question could be put on, and the SDK would lose it silently. */
  readonly carriesRequests: boolean;
  readonly #underWay = new Set<RequestId>();
  #onAnswer: (() => void) | undefined;

  constructor(options: WebStandardStreamableHTTPServerTransportOptions) {
    super(options);
    this.carriesRequests = options.enableJsonResponse !== true;
  }

  /** Whether a request has come and its answer has not gone. Known once `watchRequests` was called. */
  get isBusy(): boolean {
    return this.#underWay.size > 0;
  }

  /** To be called when a server has connected, since it is the server who is given the messages. */
  watchRequests(onAnswer: () => void): void {
    this.#onAnswer = onAnswer;
    const { onmessage } = this;
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has no other way
    this.onmessage = ((message, extra) => {
      const isRequest = 'method' in message && 'id' in message;
      if (isRequest) this.#underWay.add(message.id);
      onmessage?.(message, extra);
      if (!isRequest && 'method' in message && message.method === 'notifications/cancelled') {
        this.#endCancelled(message.params?.['requestId']);
      }
    }) satisfies Transport['onmessage'];
  }

  override send(message: JSONRPCMessage, options?: { relatedRequestId?: RequestId }): Promise<void> {
    if (!('method' in message)) this.#done(message.id);
    return super.send(message, options);
  }

  /**
   * A cancelled request gets no answer from the server, and the SDK would keep its HTTP exchange open for ever: clients
   * do not end it either. Clients ignore an answer that comes after a cancellation.
   */
  #endCancelled(id: unknown): void {
    if ((typeof id !== 'string' && typeof id !== 'number') || !this.#underWay.has(id)) return;
    const answer = { jsonrpc: '2.0', id, error: { code: CANCELLED, message: 'Request cancelled' } } as const;
    this.send(answer).catch((error: unknown) => {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    });
  }

  #done(id: RequestId | undefined): void {
    if (id !== undefined && this.#underWay.delete(id)) this.#onAnswer?.();
  }
}
