import { RootwardMcpError } from '../error.js';

const NEWLINE = 0x0a;

/** Cuts a byte stream into lines. Cost grows with the bytes received, also when they come one at a time. */
export class LineReader {
  readonly #maxLineBytes: number;
  #parts: Buffer[] = [];
  #size = 0;

  constructor(maxLineBytes: number) {
    this.#maxLineBytes = maxLineBytes;
  }

  /** Yields every line that `chunk` completes, without its newline; throws `line-too-long` after the lines before it. */
  *push(chunk: Buffer): Generator<Buffer, void, undefined> {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(NEWLINE, start);
      const part = end === -1 ? chunk.subarray(start) : chunk.subarray(start, end);
      if (this.#size + part.length > this.#maxLineBytes) {
        this.clear();
        throw new RootwardMcpError(
          'line-too-long',
          `Cannot read message: its line exceeds ${String(this.#maxLineBytes)} bytes`,
        );
      }
      if (end === -1) {
        if (part.length > 0) this.#parts.push(part);
        this.#size += part.length;
        return;
      }
      const line = this.#parts.length === 0 ? part : Buffer.concat([...this.#parts, part]);
      this.clear();
      yield line;
      start = end + 1;
    }
  }

  clear(): void {
    this.#parts = [];
    this.#size = 0;
  }
}
