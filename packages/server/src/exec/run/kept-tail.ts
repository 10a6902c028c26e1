/** Keeps the last of what is pushed, whatever its length. */
export class KeptTail {
  readonly #most: number;
  #kept: Buffer = Buffer.alloc(0);
  #cut = false;

  constructor(most: number) {
    this.#most = most;
  }

  push(chunk: Buffer): void {
    const all = this.#kept.length === 0 ? chunk : Buffer.concat([this.#kept, chunk]);
    this.#cut ||= all.length > this.#most;
    this.#kept = all.length > this.#most ? Buffer.from(all.subarray(-this.#most)) : all;
  }

  /** From the start of a line where something was dropped. */
  text(): string {
    const text = this.#kept.toString('utf8');
    const start = this.#cut ? text.indexOf('\n') + 1 : 0;
    return text.slice(start).trimEnd();
  }
}
