import type { Clock } from '@rootward/core';
import type { SessionStore } from '../../../store/session-store.js';

/** An answer, as a line of the log of its stream. */
interface Answer {
  readonly session: string;
  readonly log: string;
  readonly line: string;
  readonly ttl: number;
}

interface LateOptions {
  readonly clock: Clock;
  /** How long an answer is worth storing. */
  readonly keepFor: number;
}

/**
 * Answers that the store could not take. Whoever lost the connection to this process waits for them at another one, and
 * would wait for ever: the process that owes them is there.
 */
export class LateAnswers {
  readonly #store: SessionStore;
  readonly #options: LateOptions;
  /** Each with the time after which nobody waits for it any more. */
  readonly #waiting = new Map<Answer, number>();

  constructor(store: SessionStore, options: LateOptions) {
    this.#store = store;
    this.#options = options;
  }

  add(answer: Answer): void {
    this.#waiting.set(answer, this.#options.clock.now() + this.#options.keepFor);
  }

  /** The session has ended. */
  forget(session: string): void {
    for (const answer of this.#waiting.keys()) if (answer.session === session) this.#waiting.delete(answer);
  }

  /** Stores them if that is possible now. Those that it is not possible for stay. */
  async store(): Promise<void> {
    if (!this.#store.ready) return;
    const now = this.#options.clock.now();
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    await Promise.all(
      waiting.map(async ([answer, until]) => {
        if (until <= now) return;
        const { log, line, ttl } = answer;
        await this.#store.append(log, line, ttl).catch(() => this.#waiting.set(answer, until));
      }),
    );
  }
}
