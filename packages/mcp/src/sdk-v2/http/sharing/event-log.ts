import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { EventStore, JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';
import type { Clock } from '@rootward/core';
import type { SessionStore } from '../../../store/session-store.js';
import { ChangeNotes, isChange } from './change-notes.js';
import { LateAnswers } from './late-answers.js';
import {
  ANSWERED_MS,
  answeredBy,
  eventId,
  linesAfter,
  logKey,
  messageLine,
  ownerLine,
  STANDALONE,
  START,
} from './log-lines.js';

/** A store may keep no more than some thousand lines of a log: who owes an answer is said again before it is forgotten. */
const OWN_AGAIN_LINES = 2_000;
/** How many times it is said again within the time after which the log would expire: a call may say nothing for hours. */
const OWN_AGAIN_TIMES = 3;
/** The status for messages that get no answer. */
const ACCEPTED = 202;

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
  readonly #late: LateAnswers;

  constructor(store: SessionStore, options: LogOptions) {
    this.#store = store;
    this.#options = options;
    const { instance, ttl, clock, onerror } = options;
    this.#late = new LateAnswers(store, { clock, keepFor: ttl });
    this.#notes = new ChangeNotes(store, {
      instance,
      clock,
      write: (session, message) => this.#write(session, message),
      lastPlace: async (session) => (await store.lastLine(logKey(session, STANDALONE))) ?? START,
      isWritten: (session, message, place) => this.#isWritten(session, message, place),
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
    this.hold(this.#writeOwner(key, request, exchange));
  }

  /** Keeps the logs of calls that are under way, and stores what could not be stored before. To be called often. */
  beat(): void {
    const { clock, ttl, onerror } = this.#options;
    const now = clock.now();
    if (!this.#store.ready) return;
    void this.#late.store();
    for (const [exchange, key] of this.#owing) {
      if (now < exchange.ownedAt + ttl / OWN_AGAIN_TIMES) continue;
      exchange.ownedAt = now;
      for (const request of exchange.owed) this.#writeOwner(key, request, exchange).catch(onerror);
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
    this.#late.forget(session);
  }

  async close(): Promise<void> {
    await Promise.all([this.#notes.close(), this.#late.store()]);
  }

  /** What cannot be written is written with the next beat. */
  async #writeOwner(key: string, request: RequestId, exchange: Exchange): Promise<void> {
    try {
      await this.#store.append(key, ownerLine(this.#options.instance, request), this.#options.ttl);
    } catch (error) {
      exchange.ownedAt = -Infinity;
      throw error;
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
    const id = await this.#store.append(key, messageLine(message), this.#options.ttl);
    this.#options.announce(session);
    return eventId(STANDALONE, id);
  }

  /** Says so again: whoever wrote it may have died before. */
  async #isWritten(session: string, message: JSONRPCMessage, place: string): Promise<boolean> {
    const line = messageLine(message);
    for await (const { text } of linesAfter(this.#store, logKey(session, STANDALONE), place)) {
      if (text !== line) continue;
      this.#options.announce(session);
      return true;
    }
    return false;
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
    const answered = answeredBy(message);
    if (answered !== undefined) owed.delete(answered);
    if (owed.size === 0) this.#owing.delete(exchange);
    exchange.lines += 1;
    const again = exchange.lines % OWN_AGAIN_LINES === 0 ? [...owed] : [];
    const ttl = owed.size === 0 ? ANSWERED_MS : this.#options.ttl;
    const line = messageLine(message);
    const stored = this.#store.append(key, line, ttl).catch((error: unknown) => {
      if (answered !== undefined) this.#late.add({ session, log: key, line, ttl });
      throw error;
    });
    const [id] = await Promise.all([
      stored,
      ...again.map((request) => this.#writeOwner(key, request, exchange)),
    ]);
    return eventId(stream, id);
  }
}
