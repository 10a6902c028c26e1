import type { StartContext } from '../../serve/prepare-sources.js';
import { NO_DISPLAY, type Display } from './display.js';

/** What a command sees of the process. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** A person sits at stdin, so no client will speak there. */
  readonly interactive: boolean;
  readonly start: StartContext;
  /** Asks the person at stdin for a line; there is none without it. */
  readonly ask?: (question: string) => Promise<string>;
  /** What `out` and `err` are shown on; without it, both are read by programs. */
  readonly display?: (stream: 'out' | 'err') => Display;
}

export function displayFor({ display }: Terminal, stream: 'out' | 'err'): Display {
  return display?.(stream) ?? NO_DISPLAY;
}

/** One JSON document, as `--json` promises. */
export function printJson({ out }: Terminal, value: unknown): void {
  out(`${JSON.stringify(value, undefined, 2)}\n`);
}

/** The exit codes of every command. */
export const FINE = 0;
/** What was asked for failed, such as a path that is not in scope. */
export const FAILED = 1;
/** Wrong use or configuration; the message names the culprit. */
export const WRONG_USE = 2;

/** Something a person may have to wait for. */
export interface Status {
  /** What is under way now. */
  say(text: string): void;
}

/** A status that nobody sees. */
export const NO_STATUS: Status = { say: () => undefined };
