import type { ServerResponse } from 'node:http';

/** A stream without news says that it is there, so that nothing in between ends it. */
const KEEP_ALIVE_MS = 15_000;
const STREAM = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache, no-transform' };

/** One HTTP request and its response: plain JSON where the answer comes first, a stream where something else does. */
export class Exchange {
  readonly #response: ServerResponse;
  readonly #headers: Readonly<Record<string, string>>;
  #keepAlive: NodeJS.Timeout | undefined;
  /** Answers that are still to come. */
  #open: number;

  /** `answers`: how many messages of the request are to be answered; 0 for a stream that only listens. */
  constructor(response: ServerResponse, answers: number, headers: Readonly<Record<string, string>> = {}) {
    this.#response = response;
    this.#headers = headers;
    this.#open = answers;
    response.on('close', () => clearInterval(this.#keepAlive));
    if (answers !== 1) this.#stream();
    else {
      this.#keepAlive = setInterval(() => this.#stream(), KEEP_ALIVE_MS);
      this.#keepAlive.unref();
    }
  }

  get isOpen(): boolean {
    return !this.#response.writableEnded && !this.#response.destroyed;
  }

  onClose(listener: () => void): void {
    this.#response.on('close', listener);
  }

  /** Something that is not the answer. */
  event(bytes: Buffer): void {
    if (!this.isOpen) return;
    this.#stream();
    this.#write(bytes);
  }

  /** An answer; with the last one the response ends. The status counts where nothing was sent before. */
  answer(bytes: Buffer, status = 200): void {
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
      'Content-Type': 'application/json',
      'Content-Length': bytes.length,
    });
    this.#response.end(bytes);
  }

  end(): void {
    if (this.isOpen) this.#response.end();
  }

  #stream(): void {
    if (!this.isOpen) return;
    if (this.#response.headersSent) {
      this.#response.write(': here\n\n');
      return;
    }
    this.#response.writeHead(200, { ...this.#headers, ...STREAM });
    this.#response.flushHeaders();
    clearInterval(this.#keepAlive);
    this.#keepAlive = setInterval(() => this.#stream(), KEEP_ALIVE_MS);
    this.#keepAlive.unref();
  }

  #write(bytes: Buffer): void {
    this.#response.write(Buffer.concat([Buffer.from('event: message\ndata: '), bytes, Buffer.from('\n\n')]));
  }
}
