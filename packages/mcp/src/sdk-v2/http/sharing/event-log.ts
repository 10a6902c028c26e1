import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { EventStore, JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';
import type { Clock } from '@rootward/core';
import { isObject } from '@rootward/core/platform';
import type { LogLine, SessionStore } from '../../../store/session-store.js';
import { storedFields, storedText } from '../../../store/stored-value.js';
import { ChangeNotes, isChange } from './change-notes.js';

/** The stream that belongs to no request, as the SDK calls it. */
const STANDALONE = '_GET_stream';
const STREAM_NAME = /^[\w-]{1,64}$/;
/** The place before the first line. */
const START = '0';
/** How long an answer is kept for a client that may have missed it. */
const ANSWERED_MS = 60_000;
/** How often a stream that broke off is looked at for news. */
const LOOK_MS = 200;
const INTERNAL_ERROR = -32_603;
/** A store may keep no more than some thousand lines of a log: who owes an answer is said again before it is forgotten. */
const OWN_AGAIN_LINES = 2_000;
/** How many times it is said again within the time after which the log would expire: a call may say nothing for hours. */
const OWN_AGAIN_TIMES = 3;
/** The status for messages that get no answer. */
const ACCEPTED = 202;

/** A message of a stream, with the id under which the client may ask for what follows. */
export interface StreamEvent {
  readonly id: string;
  readonly message: JSONRPCMessage | undefined;
}

/** Why there is no stream to go on with: the event never was or is forgotten, or nothing can follow it any more. */
export type NoStream = 'unknown' | 'over';

/** One POST, from when it came until its last answer has gone; or what a new server is told again. */
interface Exchange {
  /**
   * What its stream is called here. The SDK has a name, too, but tells it before the first event to clients of newer
   * revisions only, and by then others must know who answers. Undefined where nothing of it is sent to the client.
   */
  readonly stream: string | undefined;
  /** What must have happened before its headers leave. */
  readonly pending: Promise<unknown>[];
  /** Requests in it that this process owes an answer to. */
  readonly owed: Set<RequestId>;
  /** How many messages it wrote, and when it last said who owes an answer. */
  lines: number;
  ownedAt: number;
  /** What it started may go on for long, and is in its context all the same. */
  isOver: boolean;
  /** Changes that were noticed while a new server was told the rest, each once; they are told when it knows all. */
  readonly changes: Map<string, () => Promise<unknown>>;
}

interface LogOptions {
  readonly instance: string;
  /** How long a stream without an answer is kept. */
  readonly ttl: number;
  readonly clock: Clock;
  /** Whether a process is there that may still answer. */
  readonly isAlive: (instance: string) => Promise<boolean>;
  /** There is news on the standalone stream of a session. */
  readonly announce: (session: string) => void;
  readonly onerror: (error: unknown) => void;
}

/** What was sent to clients, for those that lose their connection: one log per session and stream. */
export class EventLog {
  readonly #store: SessionStore;
  readonly #options: LogOptions;
  readonly #exchange = new AsyncLocalStorage<Exchange>();
  /** Those with an answer that this process owes, each with its log. */
  readonly #owing = new Map<Exchange, string>();
  readonly #notes: ChangeNotes;

  constructor(store: SessionStore, options: LogOptions) {
    this.#store = store;
    this.#options = options;
    const { instance, clock, onerror } = options;
    this.#notes = new ChangeNotes(store, {
      instance,
      clock,
      write: (session, message) => this.#write(session, message),
      onerror,
    });
  }

  /**
   * The part of the log that the SDK writes for one session. A message that cannot be stored is sent all the same.
   * What belongs to a request must be sent in the context in which the request came.
   */
  storeFor(session: string): EventStore {
    return {
      storeEvent: async (stream, message) => {
        const exchange = this.#exchange.getStore();
        try {
          if (stream === STANDALONE) return await this.#announce(session, message, exchange);
          if (exchange?.stream === undefined) return '';
          if (!('jsonrpc' in message)) return eventId(exchange.stream, START);
          return await this.#answer(session, exchange.stream, message, exchange);
        } catch (error) {
          this.#options.onerror(error);
          return '';
        }
      },
      // Streams are resumed by `resume`, never by the SDK.
      replayEventsAfter: () => Promise.resolve(''),
    };
  }

  /**
   * Serves a POST. What other processes must know of it is stored before its response is returned. Rejects where that
   * fails and the client would hear of it in no other way: it must not take a message for received that is lost.
   */
  async serve(act: () => Promise<Response>): Promise<Response> {
    const exchange = this.#begin(randomUUID());
    try {
      const response = await this.#exchange.run(exchange, act);
      for (const outcome of await Promise.allSettled(exchange.pending)) {
        if (outcome.status === 'fulfilled') continue;
        if (response.status === ACCEPTED) throw outcome.reason;
        this.#options.onerror(outcome.reason);
      }
      return response;
    } finally {
      exchange.isOver = true;
    }
  }

  /**
   * Runs something whose messages are not sent to the client. What it starts is heard again once it has ended; changes
   * that it notices before are told then, as nobody else may have noticed them.
   */
  async replay(act: () => Promise<void>): Promise<void> {
    const exchange = this.#begin(undefined);
    try {
      await this.#exchange.run(exchange, act);
    } finally {
      exchange.isOver = true;
      for (const tell of exchange.changes.values()) tell().catch(this.#options.onerror);
    }
  }

  #begin(stream: string | undefined): Exchange {
    return {
      stream,
      pending: [],
      owed: new Set(),
      lines: 0,
      ownedAt: this.#options.clock.now(),
      isOver: false,
      changes: new Map(),
    };
  }

  /** What must have happened before the response to the current POST leaves. */
  hold(promise: Promise<unknown>): void {
    const exchange = this.#exchange.getStore();
    const isHeld = exchange?.stream !== undefined && !exchange.isOver;
    // Those that are held are looked at later, and must not count as unhandled until then.
    promise.catch(isHeld ? () => undefined : this.#options.onerror);
    if (isHeld) exchange.pending.push(promise);
  }

  /** This process serves a request, on the stream of the current POST. */
  own(session: string, request: RequestId): void {
    const exchange = this.#exchange.getStore();
    if (exchange?.stream === undefined) return;
    const key = logKey(session, exchange.stream);
    this.#owing.set(exchange, key);
    exchange.owed.add(request);
    this.hold(this.#writeOwner(key, request));
  }

  /** Keeps the logs of calls that are under way. To be called every now and then. */
  keepOwed(): void {
    const { clock, ttl, onerror } = this.#options;
    const now = clock.now();
    for (const [exchange, key] of this.#owing) {
      if (now < exchange.ownedAt + ttl / OWN_AGAIN_TIMES) continue;
      exchange.ownedAt = now;
      for (const request of exchange.owed) this.#writeOwner(key, request).catch(onerror);
    }
  }

  /** This process no longer serves a session, and owes it nothing. */
  forget(session: string): void {
    for (const [exchange, key] of this.#owing) {
      if (key.startsWith(logKey(session, ''))) this.#owing.delete(exchange);
    }
  }

  /** The session has ended: its client is told nothing more. */
  end(session: string): void {
    this.#notes.forget(session);
  }

  async close(): Promise<void> {
    await this.#notes.close();
  }

  async #writeOwner(key: string, request: RequestId): Promise<void> {
    const line = storedText({ owner: this.#options.instance, request });
    await this.#store.append(key, line, this.#options.ttl);
  }

  /** The standalone stream from now on: what is said after this has resolved. */
  async listen(
    session: string,
    news: AsyncIterable<void>,
    signal: AbortSignal,
  ): Promise<AsyncGenerator<StreamEvent>> {
    let last = START;
    for await (const { id } of this.#linesAfter(logKey(session, STANDALONE), START)) last = id;
    return this.#standalone(session, last, news, signal);
  }

  /** What followed an event, and then what comes next on its stream. */
  async resume(
    session: string,
    lastEventId: string,
    news: AsyncIterable<void>,
    signal: AbortSignal,
  ): Promise<AsyncGenerator<StreamEvent> | NoStream> {
    const [stream = '', place = ''] = lastEventId.split('/', 2);
    if (!STREAM_NAME.test(stream) || place === '') return 'unknown';
    if (stream === STANDALONE) return this.#standalone(session, place, news, signal);
    const key = logKey(session, stream);
    const owners = new Map<RequestId, string>();
    let isKnown = false;
    for await (const { text } of this.#linesAfter(key, START)) {
      note(text, owners);
      isKnown = true;
    }
    if (!isKnown) return 'unknown';
    if (owners.size === 0 && (await this.#store.lines(key, place)).length === 0) return 'over';
    return this.#ofRequest(session, stream, owners, place, signal);
  }

  /** Piece by piece: a log may hold thousands of messages, and each of them may be large. */
  async *#linesAfter(key: string, from: string): AsyncGenerator<LogLine> {
    for (let place: string | undefined = from; place !== undefined;) {
      const lines: readonly LogLine[] = await this.#store.lines(key, place);
      yield* lines;
      place = lines.at(-1)?.id;
    }
  }

  async *#standalone(
    session: string,
    from: string,
    news: AsyncIterable<void>,
    signal: AbortSignal,
  ): AsyncGenerator<StreamEvent> {
    let place = from;
    yield { id: eventId(STANDALONE, place), message: undefined };
    for await (const _ of news) {
      if (signal.aborted) return;
      for await (const { id, text } of this.#linesAfter(logKey(session, STANDALONE), place)) {
        if (signal.aborted) return;
        place = id;
        const message = messageOf(text);
        if (message !== undefined) yield { id: eventId(STANDALONE, id), message };
      }
    }
  }

  /** Ends with the last answer, or with an error if the process that should have answered is gone. */
  async *#ofRequest(
    session: string,
    stream: string,
    owners: Map<RequestId, string>,
    from: string,
    signal: AbortSignal,
  ): AsyncGenerator<StreamEvent> {
    const key = logKey(session, stream);
    // Official clients forget their place when a resumed stream breaks off before its first event, and then wait for
    // ever.
    yield { id: eventId(stream, from), message: undefined };
    for (let place = from; !signal.aborted;) {
      for await (const { id, text } of this.#linesAfter(key, place)) {
        if (signal.aborted) return;
        place = id;
        const message = note(text, owners);
        if (message !== undefined) yield { id: eventId(stream, id), message };
      }
      if (owners.size === 0) return;
      await this.#replaceLost(session, stream, owners);
      await new Promise((resolve) => {
        setTimeout(resolve, LOOK_MS).unref();
      });
    }
  }

  async #replaceLost(session: string, stream: string, owners: ReadonlyMap<RequestId, string>): Promise<void> {
    for (const [id, owner] of owners) {
      if (await this.#options.isAlive(owner)) continue;
      const text = 'The process that served this request ended before it answered; send the request again';
      const message = { jsonrpc: '2.0', id, error: { code: INTERNAL_ERROR, message: text } };
      await this.#store.append(logKey(session, stream), storedText({ message }), ANSWERED_MS);
    }
  }

  /** What belongs to no request. */
  async #announce(session: string, message: JSONRPCMessage, exchange: Exchange | undefined): Promise<string> {
    const isReplay = exchange !== undefined && exchange.stream === undefined && !exchange.isOver;
    if (!isChange(message)) return isReplay ? '' : this.#write(session, message);
    const tell = (): Promise<string> => this.#notes.tell(session, message);
    if (!isReplay) return tell();
    exchange.changes.set(session + JSON.stringify(message), tell);
    return '';
  }

  async #write(session: string, message: JSONRPCMessage): Promise<string> {
    const key = logKey(session, STANDALONE);
    const id = await this.#store.append(key, storedText({ message }), this.#options.ttl);
    this.#options.announce(session);
    return eventId(STANDALONE, id);
  }

  /** Writes what belongs to a request: its answer, or what comes before it. */
  async #answer(
    session: string,
    stream: string,
    message: JSONRPCMessage,
    exchange: Exchange,
  ): Promise<string> {
    const { owed } = exchange;
    const key = logKey(session, stream);
    if (!('method' in message) && message.id !== undefined) owed.delete(message.id);
    if (owed.size === 0) this.#owing.delete(exchange);
    exchange.lines += 1;
    const again = exchange.lines % OWN_AGAIN_LINES === 0 ? [...owed] : [];
    const ttl = owed.size === 0 ? ANSWERED_MS : this.#options.ttl;
    const [id] = await Promise.all([
      this.#store.append(key, storedText({ message }), ttl),
      ...again.map((request) => this.#writeOwner(key, request)),
    ]);
    return eventId(stream, id);
  }
}

/** Whether an event is of the stream that belongs to no request. */
export function isStandalone(id: string): boolean {
  return id.startsWith(`${STANDALONE}/`);
}

function logKey(session: string, stream: string): string {
  return `events:${session}:${stream}`;
}

function eventId(stream: string, id: string): string {
  return `${stream}/${id}`;
}

function messageOf(text: string): JSONRPCMessage | undefined {
  const { message } = storedFields(text);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was one when it was stored
  return isObject(message) ? (message as unknown as JSONRPCMessage) : undefined;
}

/** The message of a line, if it holds one. `owners` are told who owes which answer. */
function note(text: string, owners: Map<RequestId, string>): JSONRPCMessage | undefined {
  const message = messageOf(text);
  if (message === undefined) {
    const { owner, request } = storedFields(text);
    const isId = typeof request === 'string' || typeof request === 'number';
    if (typeof owner === 'string' && isId) owners.set(request, owner);
  } else if (!('method' in message) && message.id !== undefined) owners.delete(message.id);
  return message;
}
