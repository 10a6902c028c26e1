import type { LogFields, Logger } from '@rootward/core';
import { LOG_LEVELS, type LogLevel } from '../settings/values/option-values.js';

type Method = 'debug' | 'info' | 'warn';
type Sink = (method: Method, fields: LogFields, message: string) => void;

/** Nobody may be reading stderr; beyond this, lines are dropped rather than kept in memory. */
const MAX_PENDING_BYTES = 1024 * 1024;

const ignore = (): void => undefined;

/** Writes JSON lines to stderr. The library behind it is loaded with the first line that is to be written. */
export class StderrLogger implements Logger {
  readonly #rank: number;
  #sink: Sink | undefined;
  #loading: Promise<void> | undefined;
  #waiting: (() => void)[] = [];

  constructor(level: LogLevel) {
    this.#rank = LOG_LEVELS.indexOf(level);
  }

  debug(message: string, fields?: LogFields): void {
    this.#write('debug', message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#write('info', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#write('warn', message, fields);
  }

  /** When every line so far has been handed to stderr. */
  async flushed(): Promise<void> {
    await this.#loading;
  }

  #write(method: Method, message: string, fields: LogFields | undefined): void {
    if (LOG_LEVELS.indexOf(method) > this.#rank) return;
    const write = (): void => {
      if (process.stderr.writableLength < MAX_PENDING_BYTES) this.#sink?.(method, fields ?? {}, message);
    };
    if (this.#sink !== undefined) {
      write();
      return;
    }
    this.#waiting.push(write);
    this.#loading ??= this.#load();
  }

  async #load(): Promise<void> {
    // Lines may come before anybody else listens, and one that is lost is no reason to stop.
    if (!process.stderr.listeners('error').includes(ignore)) process.stderr.on('error', ignore);
    this.#sink = await openSink();
    for (const write of this.#waiting) write();
    this.#waiting = [];
  }
}

/** Without the library the lines are shorter; a line must not end the server. */
async function openSink(): Promise<Sink> {
  try {
    const { pino } = await import('pino');
    const log = pino({ level: 'debug', base: null }, process.stderr);
    return (method, fields, message) => log[method](fields, message);
  } catch {
    return (level, fields, msg) =>
      void process.stderr.write(`${JSON.stringify({ level, ...fields, msg })}\n`);
  }
}
