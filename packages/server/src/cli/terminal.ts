import type { Surroundings } from '../serve/serving.js';

/** What a command sees of the process. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** A person sits at stdin, so no client will speak there. */
  readonly interactive: boolean;
  readonly around: Surroundings;
}

/** The exit codes of every command. */
export const FINE = 0;
/** What was asked for failed, such as a path that is not in scope. */
export const FAILED = 1;
/** Wrong use or configuration; the message names the culprit. */
export const WRONG_USE = 2;
