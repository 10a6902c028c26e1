import type { ServerResponse } from 'node:http';
import type { Passage, Way } from '../inner/long-answer.js';
import { PassingAnswer } from '../wire/passing-answer.js';

/** A stream without messages sends a comment now and then, so that no proxy ends it. */
const KEEP_ALIVE_MS = 15_000;
/** If more bytes wait for the client, the server is paused, unless others use it too. */
const MAX_BACKLOG_BYTES = 512 * 1024;
/** If more wait for a client whose server cannot be paused, it is given up. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;
const EVENT = 'event: message\ndata: ';
const STREAM = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache, no-transform' };

/** One HTTP request and its response: plain JSON where the answer comes first, a stream where something else does. */
export class Exchange {
  readonly #response: ServerResponse;
  readonly #headers: Readonly<Record<string, string>>;
  #keepAlive: NodeJS.Timeout | undefined;
  /** `close` is emitted only once. */
  #isClosed: boolean;
  readonly #answers: number;
  /** Answers that are still to come. */
  #open: number;
  /** What waits for the message that is being passed on. */
  #waiting: (() => void)[] | undefined;

  /** `answers`: how many messages of the request are to be answered; 0 for a stream that only listens. */
  constructor(response: ServerResponse, answers: number, headers: Readonly<Record<string, string>> = {}) {
    this.#response = response;
    this.#headers = headers;
    this.#answers = answers;
    this.#open = answers;
    this.#isClosed = response.closed || response.destroyed;
    if (this.#isClosed) return;
    response.on('close', () => {
      this.#isClosed = true;
      clearInterval(this.#keepAlive);
    });
    if (answers !== 1) this.#stream();
    else {
      this.#keepAlive = setInterval(() => this.#stream(), KEEP_ALIVE_MS);
      this.#keepAlive.unref();
    }
  }

  get isOpen(): boolean {
    return !this.#isClosed && !this.#response.writableEnded && !this.#response.destroyed;
  }

  /** Called at once where the response is closed already: a client may leave before its request is handled. */
  onClose(listener: () => void): void {
    if (this.#isClosed) listener();
    else this.#response.on('close', listener);
  }

  /** Something that is not the answer. */
  event(bytes: Buffer): void {
    if (!this.isOpen) return;
    if (this.#waiting !== undefined) {
      this.#waiting.push(() => this.event(bytes));
      return;
    }
    // An answer may be that long, and is being read.
    const isUnread = this.#open === this.#answers && this.#response.writableLength > MAX_UNREAD_BYTES;
    if (isUnread) {
      this.#response.destroy();
      return;
    }
    this.#stream();
    this.#write(bytes);
  }

  /** An answer; with the last one the response ends. Status and headers count where nothing was sent before. */
  answer(bytes: Buffer, status = 200, headers: Readonly<Record<string, string>> = {}): void {
    if (!this.isOpen) return;
    if (this.#waiting !== undefined) {
      this.#waiting.push(() => this.answer(bytes, status, headers));
      return;
    }
    this.#open -= 1;
    if (this.#response.headersSent) {
      this.#write(bytes);
      if (this.#open <= 0) this.#response.end();
      return;
    }
    clearInterval(this.#keepAlive);
    this.#response.writeHead(status, {
      ...this.#headers,
      ...headers,
      'Content-Type': 'application/json',
      'Content-Length': bytes.length,
    });
    this.#response.end(bytes);
  }

  /**
   * For an answer that is written while it comes. `hold` is told when the client does not read fast enough, and when it
   * does again.
   */
  pass(hold: (isHeld: boolean) => void): Way | undefined {
    if (!this.isOpen || this.#waiting !== undefined) return undefined;
    return { added: '', open: () => (this.isOpen ? this.#begin(hold) : undefined) };
  }

  #begin(hold: (isHeld: boolean) => void): Passage {
    this.#stream();
    const response = this.#response;
    const waiting: (() => void)[] = [];
    this.#waiting = waiting;
    response.write(EVENT);
    const release = (): void => hold(false);
    response.on('drain', release).once('close', release);
    return {
      get isInTheWay(): boolean {
        return waiting.length > 0 && response.writableLength === 0;
      },
      get isUnread(): boolean {
        return response.writableLength > MAX_UNREAD_BYTES;
      },
      write: (pieces) => {
        if (!this.isOpen) return;
        for (const piece of pieces) response.write(piece);
        if (response.writableLength > MAX_BACKLOG_BYTES) hold(true);
      },
      end: (id, incomplete) => {
        response.off('drain', release);
        release();
        this.#waiting = undefined;
        if (!this.isOpen) return;
        response.write(PassingAnswer.end(id, incomplete));
        response.write('\n\n');
        if (id !== undefined) this.#open -= 1;
        for (const each of waiting) each();
        if (id !== undefined && this.#open <= 0) response.end();
      },
    };
  }

  end(): void {
    this.#stream();
    if (this.isOpen) this.#response.end();
  }

  #stream(): void {
    if (!this.isOpen || this.#response.headersSent) return;
    this.#response.writeHead(200, { ...this.#headers, ...STREAM });
    this.#response.flushHeaders();
    clearInterval(this.#keepAlive);
    this.#keepAlive = setInterval(() => this.#comment(), KEEP_ALIVE_MS);
    this.#keepAlive.unref();
  }

  #comment(): void {
    if (this.isOpen && this.#waiting === undefined) this.#response.write(': here\n\n');
  }

  #write(bytes: Buffer): void {
    this.#response.cork();
    this.#response.write(EVENT);
    this.#response.write(bytes);
    this.#response.write('\n\n');
    this.#response.uncork();
  }
}
