const NEWLINE = 0x0a;
/** A longer line is not a message and is dropped. */
const MAX_LINE_LENGTH = 64 * 1024;
/** Starts a line of the channel; hardly ever part of anything a program prints. */
const RECORD_SEPARATOR = 0x1e;

/**
 * Takes apart what a tool writes to its standard error: the lines of the channel, marked by their tag, and the rest. They
 * share a pipe, since one of its own for each call would cost more than all else we do for it.
 */
export class ChannelReader {
  readonly #mark: Buffer;
  readonly #onLine: (line: string) => void;
  readonly #onText: (text: Buffer) => void;
  #rest: Buffer = Buffer.alloc(0);
  #dropping = false;

  constructor(tag: string, onLine: (line: string) => void, onText: (text: Buffer) => void) {
    this.#mark = Buffer.concat([Buffer.of(RECORD_SEPARATOR), Buffer.from(tag)]);
    this.#onLine = onLine;
    this.#onText = onText;
  }

  push(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (this.#rest.length > 0 && this.#takePiece());
  }

  /** The output has ended: what looked like the start of a message was not one. */
  end(): void {
    if (this.#rest.length > 0) this.#onText(this.#rest);
    this.#rest = Buffer.alloc(0);
  }

  /** False when more must come before anything can be said of the rest. */
  #takePiece(): boolean {
    const rest = this.#rest;
    const end = rest.indexOf(NEWLINE);
    if (this.#dropping) {
      this.#dropping = end === -1;
      this.#rest = end === -1 ? Buffer.alloc(0) : rest.subarray(end + 1);
      return true;
    }
    const start = this.#findMark(rest);
    if (start > 0) {
      this.#onText(rest.subarray(0, start));
      this.#rest = rest.subarray(start);
      return true;
    }
    if (end === -1) {
      this.#dropping = rest.length > MAX_LINE_LENGTH;
      return this.#dropping;
    }
    if (end <= MAX_LINE_LENGTH) this.#onLine(rest.toString('utf8', this.#mark.length, end));
    this.#rest = rest.subarray(end + 1);
    return true;
  }

  /** Where a mark starts, or at the very end what may become one; the length where there is none. */
  #findMark(bytes: Buffer): number {
    const whole = bytes.indexOf(this.#mark);
    if (whole !== -1) return whole;
    let start = bytes.indexOf(RECORD_SEPARATOR, Math.max(0, bytes.length - this.#mark.length + 1));
    while (start !== -1) {
      const candidate = bytes.subarray(start);
      if (this.#mark.subarray(0, candidate.length).equals(candidate)) return start;
      start = bytes.indexOf(RECORD_SEPARATOR, start + 1);
    }
    return bytes.length;
  }
}
