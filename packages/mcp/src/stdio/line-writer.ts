import type { Writable } from 'node:stream';
import { Deferred } from '@rootward/core/platform';
import { RootwardMcpError } from '../error.js';

/** Lines that go out together. */
interface Gathered {
  text: string;
  readonly written: Deferred;
}

/** In characters. Joining more saves nothing, and the length of a string is limited. */
const MAX_GATHERED = 1024 * 1024;

/** Writes lines in the order they come. */
export class LineWriter {
  readonly #stream: Writable;
  #gathered: Gathered | undefined;

  constructor(stream: Writable) {
    this.#stream = stream;
  }

  /** Resolves when the line has left; rejects where the pipe is closed. */
  write(line: string): Promise<void> {
    const gathered = this.#gathered;
    if (gathered === undefined) return this.#writeOut(`${line}\n`);
    gathered.text += `${line}\n`;
    if (gathered.text.length > MAX_GATHERED) this.#flush(gathered);
    return gathered.written.promise;
  }

  /**
   * What is written in this turn of the event loop from now on goes out in one system call: those are a third of a small
   * call's cost.
   */
  gather(): void {
    if (this.#gathered !== undefined) return;
    const gathered: Gathered = { text: '', written: new Deferred() };
    this.#gathered = gathered;
    setImmediate(() => this.#flush(gathered));
  }

  #flush(gathered: Gathered): void {
    if (this.#gathered !== gathered) return;
    this.#gathered = undefined;
    if (gathered.text !== '') gathered.written.resolve(this.#writeOut(gathered.text));
  }

  #writeOut(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#stream.write(text, (cause) => {
        if (cause === null || cause === undefined) resolve();
        else reject(new RootwardMcpError('closed', 'Cannot send: the pipe is closed', { cause }));
      });
    });
  }
}
