import { AsyncResource } from 'node:async_hooks';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type {
  JSONRPCMessage,
  RequestId,
  Transport,
  WebStandardStreamableHTTPServerTransportOptions,
} from '@modelcontextprotocol/server';
import { isObject } from '@rootward/core/platform';
import type { ConnectionKeeper } from '../../context/kept-connection.js';
import { RootwardMcpError } from '../../error.js';
import { idInUse } from './responses.js';
import type { SharedIds } from './sharing/shared-ids.js';

/** As in the Language Server Protocol; MCP has no code of its own for it. */
const CANCELLED = -32_800;
const INTERNAL_ERROR = -32_603;
const CLOSED = {
  code: INTERNAL_ERROR,
  message: 'The session was closed before this request was answered',
} as const;
const ENDED = { code: -32_001, message: 'Session not found' } as const;

/** For what is said of a request that was answered: nothing of it may get into the log of whichever request says it. */
const OF_NO_REQUEST = new AsyncResource('McpAnswered');

/** Who looks at the messages of a session. */
export interface SessionWatcher {
  /** A message of the client, before the server gets it; false keeps it from the server. */
  received(message: JSONRPCMessage): boolean;
  /** An answer is about to go out. It goes when the promise has resolved; an error goes in its place. */
  answering(message: JSONRPCMessage): Promise<void> | undefined;
  /** An answer has gone out, or could not. */
  answered(): void;
}

interface RequestUnderWay {
  /** The context in which it came. */
  readonly context: AsyncResource;
  /** Its answer is being stored or sent. */
  isAnswered: boolean;
}

/**
 * Streamable HTTP for one session, which says whether a question of ours can travel inside a request of the client,
 * and whether requests of the client are under way.
 */
export class SessionTransport extends WebStandardStreamableHTTPServerTransport {
  /** With JSON responses there is no stream a question could be put on, and the SDK would lose it silently. */
  readonly carriesRequests: boolean;
  /** What the server connected to it knows, where that can be kept. */
  keeper: ConnectionKeeper | undefined;
  /** Undefined while there are none, as most of the time. */
  #underWay: Map<RequestId, RequestUnderWay> | undefined;
  /** Ids of requests that the SDK has and the server has not. */
  #arriving: Set<unknown> | undefined;
  readonly #ids: SharedIds | undefined;
  #watcher: SessionWatcher | undefined;
  #isClosed = false;

  /** `ids`: where several processes ask the same client. */
  constructor(options: WebStandardStreamableHTTPServerTransportOptions, ids?: SharedIds) {
    super(options);
    this.carriesRequests = options.enableJsonResponse !== true;
    this.#ids = ids;
  }

  keepWith(keeper: ConnectionKeeper): void {
    this.keeper = keeper;
  }

  /** Whether a request has come and its answer has not gone. Known once `watch` was called. */
  get isBusy(): boolean {
    return this.#underWay !== undefined;
  }

  isUnderWay(id: unknown): boolean {
    return (typeof id === 'string' || typeof id === 'number') && this.#underWay?.has(id) === true;
  }

  /**
   * Refuses a request with an id that another one has which is under way: the SDK would send the answer of one of them
   * on the stream of the other, and none to the first.
   */
  override async handleRequest(
    request: Request,
    options?: Parameters<WebStandardStreamableHTTPServerTransport['handleRequest']>[1],
  ): Promise<Response> {
    const ids = requestIds(options?.parsedBody);
    if (ids.length === 0) return super.handleRequest(request, options);
    const arriving = (this.#arriving ??= new Set());
    const isTaken = (id: unknown): boolean => this.isUnderWay(id) || arriving.has(id);
    if (new Set(ids).size < ids.length || ids.some(isTaken)) return idInUse();
    for (const id of ids) arriving.add(id);
    try {
      return await super.handleRequest(request, options);
    } finally {
      for (const id of ids) arriving.delete(id);
      if (arriving.size === 0) this.#arriving = undefined;
    }
  }

  /** To be called when a server has connected, since it is the server who is given the messages. */
  watch(watcher: SessionWatcher): void {
    this.#watcher = watcher;
    const { onmessage } = this;
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has no other way
    this.onmessage = ((message, extra) => {
      if (this.#isClosed) return this.#refuse(message);
      if (!watcher.received(message)) return;
      const isRequest = 'method' in message && 'id' in message;
      if (isRequest) this.#begin(message.id);
      onmessage?.(this.#ids?.received(message) ?? message, extra);
      if (!isRequest && 'method' in message && message.method === 'notifications/cancelled') {
        this.#endCancelled(message.params?.['requestId']);
      }
    }) satisfies Transport['onmessage'];
  }

  /** The SDK ends the streams of requests that are under way, and leaves those waiting that are answered with JSON. */
  override close(): Promise<void> {
    const left = this.carriesRequests || this.#isClosed ? [] : [...(this.#underWay?.keys() ?? [])];
    this.#isClosed = true;
    for (const id of left) this.#fail(id, CLOSED);
    return super.close();
  }

  /**
   * What belongs to a request is sent in the context in which the request came, wherever it was said: that is how an
   * event store knows which requests share a stream.
   */
  override send(message: JSONRPCMessage, options?: { relatedRequestId?: RequestId }): Promise<void> {
    const about = 'method' in message ? options?.relatedRequestId : message.id;
    if (about === undefined) return this.#send(message, options);
    const context = this.#underWay?.get(about)?.context ?? OF_NO_REQUEST;
    return context.runInAsyncScope(() => this.#send(message, options));
  }

  #send(message: JSONRPCMessage, options?: { relatedRequestId?: RequestId }): Promise<void> {
    if ('method' in message) return super.send(this.#ids?.sent(message) ?? message, options);
    const request = message.id === undefined ? undefined : this.#underWay?.get(message.id);
    if (request !== undefined) request.isAnswered = true;
    const saved = this.#watcher?.answering(message);
    return saved === undefined ? this.#answer(message, options) : this.#answerAfter(saved, message, options);
  }

  /** The request is under way until its answer is stored: a session that counts as idle may be closed at any time. */
  async #answer(message: JSONRPCMessage, options?: { relatedRequestId?: RequestId }): Promise<void> {
    try {
      await super.send(message, options);
    } finally {
      if (!('method' in message) && message.id !== undefined && this.#end(message.id)) {
        this.#watcher?.answered();
      }
    }
  }

  async #answerAfter(
    saved: Promise<void>,
    message: JSONRPCMessage,
    options?: { relatedRequestId?: RequestId },
  ): Promise<void> {
    let outgoing = message;
    try {
      await saved;
    } catch (error) {
      this.#report(error);
      const { id } = 'id' in message ? message : { id: undefined };
      const text = describe(error);
      if (id !== undefined) outgoing = { jsonrpc: '2.0', id, error: { code: INTERNAL_ERROR, message: text } };
    }
    await this.#answer(outgoing, options);
  }

  /**
   * A cancelled request gets no answer from the server, and the SDK would keep its HTTP exchange open for ever: clients
   * do not end it either. Clients ignore an answer that comes after a cancellation.
   */
  #endCancelled(id: unknown): void {
    if (typeof id !== 'string' && typeof id !== 'number') return;
    if (this.#underWay?.get(id)?.isAnswered !== false) return;
    const answer = { jsonrpc: '2.0', id, error: { code: CANCELLED, message: 'Request cancelled' } } as const;
    this.send(answer).catch((error: unknown) => this.#report(error));
  }

  /**
   * The SDK looks whether it is closed a moment before it opens the stream of a request. Where it was closed in between,
   * no server answers, and nothing else would end that stream.
   */
  #refuse(message: JSONRPCMessage): void {
    if ('method' in message && 'id' in message) this.#fail(message.id, ENDED);
  }

  #fail(id: RequestId, error: { readonly code: number; readonly message: string }): void {
    super.send({ jsonrpc: '2.0', id, error }).catch((problem: unknown) => this.#report(problem));
  }

  #begin(id: RequestId): void {
    const request = { context: new AsyncResource('McpRequest'), isAnswered: false };
    (this.#underWay ??= new Map()).set(id, request);
  }

  /** False where no such request was under way. */
  #end(id: RequestId): boolean {
    if (this.#underWay?.delete(id) !== true) return false;
    if (this.#underWay.size === 0) this.#underWay = undefined;
    return true;
  }

  #report(error: unknown): void {
    this.onerror?.(error instanceof Error ? error : new Error(String(error)));
  }
}

function requestIds(body: unknown): readonly unknown[] {
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
  return messages.flatMap((message) =>
    isObject(message) && 'method' in message && 'id' in message ? [message['id']] : [],
  );
}

/** A client may be the first to hear that the store is down, and has to know that it is not the request. */
function describe(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const passes = error instanceof RootwardMcpError && error.code === 'store-unavailable';
  return passes ? `${text}; send the request again` : text;
}
