import { disposable } from '@rootward/core/platform';
import type { Status, Terminal } from './terminal.js';

/** A shorter wait needs no explanation. */
const SHOW_AFTER_MS = 1000;
const TICK_MS = 1000;
/** Leaves the cursor at the start, so that whatever else is written takes the place of the line. */
const START = '\r';
const CLEAR = '\r\u001B[2K';

/**
 * One line on stderr that says what is waited for and for how long. It appears after a second, gives way to everything
 * else that is written, and is gone in the end.
 */
export class StatusLine implements Status, Disposable {
  /** The same terminal; what is written to it takes the line away first. */
  readonly terminal: Terminal;
  readonly #terminal: Terminal;
  readonly #columns: number;
  readonly #begun = Date.now();
  #text: string;
  #timer: NodeJS.Timeout;
  #shown = false;
  #interrupt: Disposable | undefined;

  constructor(terminal: Terminal, text: string, columns: number) {
    this.#terminal = terminal;
    this.#text = text;
    this.#columns = columns;
    this.terminal = {
      ...terminal,
      out: (written) => {
        this.#clear();
        terminal.out(written);
      },
      err: (written) => {
        this.#clear();
        terminal.err(written);
      },
    };
    this.#timer = setTimeout(() => this.#tick(), SHOW_AFTER_MS);
    this.#timer.unref();
  }

  say(text: string): void {
    this.#text = text;
    if (this.#shown) this.#draw();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#clear();
    this.#interrupt?.[Symbol.dispose]();
  }

  #tick(): void {
    this.#interrupt ??= clearOnInterrupt(() => this.#clear());
    this.#draw();
    this.#timer = setTimeout(() => this.#tick(), TICK_MS);
    this.#timer.unref();
  }

  #draw(): void {
    const seconds = Math.round((Date.now() - this.#begun) / 1000);
    const time = ` … ${seconds} s`;
    // One column is left free: a full line would wrap and could not be taken back.
    const text = this.#text
      .replaceAll(/\p{Cc}+/gu, ' ')
      .slice(0, Math.max(0, this.#columns - time.length - 1));
    this.#terminal.err(`${CLEAR}${text}${time}${START}`);
    this.#shown = true;
  }

  #clear(): void {
    if (!this.#shown) return;
    this.#shown = false;
    this.#terminal.err(CLEAR);
  }
}

/** Ctrl-C ends the process at once, unless somebody else takes care of it. */
function clearOnInterrupt(clear: () => void): Disposable {
  if (process.listenerCount('SIGINT') > 0) return disposable(() => undefined);
  const onInterrupt = (): void => {
    clear();
    process.kill(process.pid, 'SIGINT');
  };
  process.once('SIGINT', onInterrupt);
  return disposable(() => void process.off('SIGINT', onInterrupt));
}
