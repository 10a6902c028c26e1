import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';
import type { SessionStore } from '../../../store/session-store.js';
import {
  ANSWERED_MS,
  answeredBy,
  eventId,
  linesAfter,
  logKey,
  messageLine,
  messageOf,
  note,
  STANDALONE,
  START,
} from './log-lines.js';

const STREAM_NAME = /^[\w-]{1,64}$/;
/** How often a stream that broke off is looked at for news. */
const LOOK_MS = 200;
const INTERNAL_ERROR = -32_603;

/** A message of a stream, with the id under which the client may ask for what follows. */
export interface StreamEvent {
  readonly id: string;
  readonly message: JSONRPCMessage | undefined;
}

/** Why there is no stream to go on with: the event never was or is forgotten, or nothing can follow it any more. */
export type NoStream = 'unknown' | 'over';

/** The streams of all sessions as they are in the store, whoever wrote them. */
export class StreamReader {
  readonly #store: SessionStore;
  readonly #isAlive: (instance: string) => Promise<boolean>;

  /** `isAlive`: whether a process is there that may still answer. */
  constructor(store: SessionStore, isAlive: (instance: string) => Promise<boolean>) {
    this.#store = store;
    this.#isAlive = isAlive;
  }

  /** The standalone stream from now on: what is said after this has resolved. */
  async listen(
    session: string,
    news: AsyncIterable<void>,
    signal: AbortSignal,
  ): Promise<AsyncGenerator<StreamEvent>> {
    const last = await this.#store.lastLine(logKey(session, STANDALONE));
    return this.#standalone(session, last ?? START, news, signal);
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
    for await (const { text } of linesAfter(this.#store, key, START)) {
      note(text, owners);
      isKnown = true;
    }
    if (!isKnown) return 'unknown';
    if (owners.size === 0 && (await this.#store.lines(key, place)).length === 0) return 'over';
    return this.#ofRequest(session, stream, owners, place, signal);
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
      for await (const { id, text } of linesAfter(this.#store, logKey(session, STANDALONE), place)) {
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
    /** An answer may be there twice: the store took it and said so too late, or a process was not dead after all. */
    const answered = new Set<RequestId>();
    // Official clients forget their place when a resumed stream breaks off before its first event, and then wait for
    // ever.
    yield { id: eventId(stream, from), message: undefined };
    for (let place = from; !signal.aborted;) {
      for await (const { id, text } of linesAfter(this.#store, key, place)) {
        if (signal.aborted) return;
        place = id;
        const message = note(text, owners);
        const answers = message && answeredBy(message);
        if (message === undefined || (answers !== undefined && answered.has(answers))) continue;
        if (answers !== undefined) answered.add(answers);
        yield { id: eventId(stream, id), message };
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
      if (await this.#isAlive(owner)) continue;
      const text = 'The process that served this request ended before it answered; send the request again';
      const message = { jsonrpc: '2.0', id, error: { code: INTERNAL_ERROR, message: text } } as const;
      await this.#store.append(logKey(session, stream), messageLine(message), ANSWERED_MS);
    }
  }
}
