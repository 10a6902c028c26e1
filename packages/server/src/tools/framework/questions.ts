import type { Consent } from './tool-context.js';

/** A user reads and answers a form within that time; a client without a user never does. */
const ANSWER_MS = 60_000;

/**
 * What was asked on one connection. Nobody is asked twice about the same thing, and a client that left a question
 * unanswered is not asked anything else: without a user, each question would hold up a call until it times out.
 */
export class Questions {
  readonly #now: () => number;
  /** Made with the first question: most connections never ask one. */
  #answers: Map<string, Consent> | undefined;
  #open: Map<string, number> | undefined;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** The answer that is known, or undefined where the question is to be asked; it then counts as asked. */
  ask(key: string): Consent | undefined {
    const known = this.#answers?.get(key);
    if (known !== undefined) return known;
    const now = this.#now();
    const open = (this.#open ??= new Map<string, number>());
    if ([...open.values()].some((since) => now - since > ANSWER_MS)) return 'cancelled';
    if (!open.has(key)) open.set(key, now);
    return undefined;
  }

  /** A yes is used up by the call it was given for; what it allowed is remembered elsewhere. */
  answered(key: string, consent: Consent): void {
    this.#open?.clear();
    if (consent === 'accepted') this.#answers?.delete(key);
    else (this.#answers ??= new Map<string, Consent>()).set(key, consent);
  }
}
