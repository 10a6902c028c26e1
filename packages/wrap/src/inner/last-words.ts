/** As much of what a server wrote to stderr as an error message can show. */
const MAX_BYTES = 4096;
const MAX_LINES = 5;

/** Keeps the end of a stream of text. */
export class LastWords {
  #kept: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): void {
    this.#kept = Buffer.concat([this.#kept, chunk.subarray(-MAX_BYTES)]).subarray(-MAX_BYTES);
  }

  /** The last lines that say something. */
  lines(): readonly string[] {
    const lines = this.#kept.toString('utf8').split('\n');
    return lines
      .map((line) => line.trimEnd())
      .filter((line) => line !== '')
      .slice(-MAX_LINES);
  }
}
