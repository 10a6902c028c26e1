import type { CodeContext } from './context.js';

/** A longer line is minified code. */
const MAX_LINE_CHARS = 200;

/** Single lines of files in scope, each file read once. */
export class LineReader {
  readonly #context: CodeContext;
  readonly #files = new Map<string, readonly string[]>();

  constructor(context: CodeContext) {
    this.#context = context;
  }

  /** Lines are counted from 0. Empty where the file cannot be read any more. */
  async read(file: string, line: number): Promise<string> {
    let lines = this.#files.get(file);
    if (lines === undefined) {
      lines = await this.#load(file);
      this.#files.set(file, lines);
    }
    return (lines[line] ?? '').trim().slice(0, MAX_LINE_CHARS).toWellFormed();
  }

  async #load(file: string): Promise<readonly string[]> {
    const { scope, signal } = this.#context;
    try {
      const { text } = await scope.readText(file, signal === undefined ? {} : { signal });
      return text.split(/\r\n|\n|\r/);
    } catch {
      signal?.throwIfAborted();
      return [];
    }
  }
}
