import type { ServerResponse } from 'node:http';

/** A stream without messages sends a comment now and then, so that no proxy ends it. */
const KEEP_ALIVE_MS = 15_000;
/** A client for which more bytes wait is given up. */
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
    if (this.isOpen) this.#response.write(': here\n\n');
  }

  #write(bytes: Buffer): void {
    this.#response.cork();
    this.#response.write(EVENT);
    this.#response.write(bytes);
    this.#response.write('\n\n');
    this.#response.uncork();
  }
}
