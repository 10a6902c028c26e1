import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type {
  JSONRPCMessage,
  RequestId,
  Transport,
  WebStandardStreamableHTTPServerTransportOptions,
} from '@modelcontextprotocol/server';

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
  get isServing(): boolean {
    return this.#underWay.size > 0;
  }

  /** To be called when a server has connected, since it is the server who is given the messages. */
  watchRequests(onAnswer: () => void): void {
    this.#onAnswer = onAnswer;
    const { onmessage } = this;
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has no other way
    this.onmessage = ((message, extra) => {
      this.#note(message);
      onmessage?.(message, extra);
    }) satisfies Transport['onmessage'];
  }

  override send(message: JSONRPCMessage, options?: { relatedRequestId?: RequestId }): Promise<void> {
    if (!('method' in message)) this.#done(message.id);
    return super.send(message, options);
  }

  #note(message: JSONRPCMessage): void {
    if (!('method' in message)) return;
    if ('id' in message) this.#underWay.add(message.id);
    // Whoever cancels gets no answer.
    else if (message.method === 'notifications/cancelled') this.#done(message.params?.['requestId']);
  }

  #done(id: unknown): void {
    if (typeof id !== 'string' && typeof id !== 'number') return;
    if (this.#underWay.delete(id)) this.#onAnswer?.();
  }
}
