const NEWLINE = 0x0a;
/** A line longer than this is no message; it is dropped. */
const LONGEST_LINE = 64 * 1024;

/** Takes bytes as they come and hands on whole lines. */
export class LineSplitter {
  readonly #onLine: (line: string) => void;
  #rest: Buffer = Buffer.alloc(0);
  #dropping = false;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  push(chunk: Buffer): void {
    let rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE)) {
      if (!this.#dropping && end <= LONGEST_LINE) this.#onLine(rest.toString('utf8', 0, end));
      this.#dropping = false;
      rest = rest.subarray(end + 1);
    }
    if (rest.length > LONGEST_LINE) {
      this.#dropping = true;
      rest = Buffer.alloc(0);
    }
    this.#rest = rest;
  }
}
