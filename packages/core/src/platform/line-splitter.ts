const NEWLINE = 0x0a;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;

/** What a splitter finds in a stream of bytes. */
export interface LineSink {
  /** A whole line that may be a message, without its line end. Blank lines are left out. */
  line(bytes: Buffer): void;
  /** A piece of output that is no message, in order; a line of it may come in several pieces. Without it, all lines may be. */
  noise?(bytes: Buffer): void;
  /** Called as soon as a line is longer than allowed. */
  exceeded?(): void;
  /** Called once such a line has ended, with its first and last bytes. */
  tooLong?(head: Buffer, tail: Buffer): void;
}

/** Enough to find the id of an answer, which servers write first or last. */
const END_BYTES = 256;
const EMPTY: Buffer = Buffer.alloc(0);

/**
 * Cuts a stream of bytes into lines. Cost grows with the bytes received, also when they come one at a time. For the output
 * of a program, `noise` gets each line that does not begin like a message, as it comes: it is never kept, so that
 * whatever a program prints costs no memory.
 */
export class LineSplitter {
  readonly #sink: LineSink;
  readonly #maxLineBytes: number;
  #parts: Buffer[] = [];
  #size = 0;
  #state: 'start' | 'message' | 'noise' | 'too-long' = 'start';
  #head: Buffer = EMPTY;
  #tail: Buffer = EMPTY;

  constructor(sink: LineSink, maxLineBytes: number) {
    this.#sink = sink;
    this.#maxLineBytes = maxLineBytes;
  }

  push(chunk: Buffer): void {
    let start = 0;
    while (start < chunk.length) {
      const end = chunk.indexOf(NEWLINE, start);
      const part = chunk.subarray(start, end === -1 ? chunk.length : end);
      // Most messages come as one piece, and need none of what the others do.
      if (
        end !== -1 &&
        part[0] === OPEN_BRACE &&
        this.#state === 'start' &&
        part.length <= this.#maxLineBytes
      ) {
        this.#sink.line(part);
        start = end + 1;
        continue;
      }
      this.#take(part);
      if (end === -1) return;
      this.#endLine();
      start = end + 1;
    }
  }

  /** The stream has ended: what is left is no whole line. */
  end(): void {
    if (this.#size > 0) this.#sink.noise?.(Buffer.concat(this.#parts));
    this.clear();
  }

  #take(part: Buffer): void {
    if (part.length === 0) return;
    if (this.#state === 'start') this.#state = this.#guess(part);
    if (this.#state === 'start') return;
    if (this.#state === 'noise') {
      this.#sink.noise?.(part);
      return;
    }
    if (this.#state === 'too-long') {
      this.#tail = Buffer.concat([this.#tail, part]).subarray(-END_BYTES);
      return;
    }
    this.#size += part.length;
    this.#parts.push(part);
    if (this.#size <= this.#maxLineBytes) return;
    this.#head = Buffer.from(this.#parts[0]?.subarray(0, END_BYTES) ?? EMPTY);
    this.#tail = Buffer.from(part.subarray(-END_BYTES));
    this.#parts = [];
    this.#size = 0;
    this.#state = 'too-long';
    this.#sink.exceeded?.();
  }

  #endLine(): void {
    switch (this.#state) {
      case 'message': {
        const [first] = this.#parts;
        if (first !== undefined)
          this.#sink.line(this.#parts.length === 1 ? first : Buffer.concat(this.#parts));
        break;
      }
      case 'noise':
        this.#sink.noise?.(Buffer.from('\n'));
        break;
      case 'too-long':
        this.#sink.tooLong?.(this.#head, this.#tail);
        break;
      case 'start':
        break;
    }
    this.clear();
  }

  /** By the first byte that is no blank. */
  #guess(part: Buffer): 'start' | 'message' | 'noise' {
    for (const byte of part) {
      if (byte === 0x20 || byte === 0x09 || byte === 0x0d) continue;
      const isMessage = this.#sink.noise === undefined || byte === OPEN_BRACE || byte === OPEN_BRACKET;
      return isMessage ? 'message' : 'noise';
    }
    return 'start';
  }

  /** Forgets the line that has begun. */
  clear(): void {
    this.#parts = [];
    this.#size = 0;
    this.#state = 'start';
    this.#head = EMPTY;
    this.#tail = EMPTY;
  }
}
