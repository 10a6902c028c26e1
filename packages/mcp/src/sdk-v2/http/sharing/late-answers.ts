import type { Clock } from '@rootward/core';
import type { SessionStore } from '../../../store/session-store.js';

/** An answer, as a line of the log of its stream. */
interface Answer {
  readonly session: string;
  readonly log: string;
  readonly line: string;
  readonly ttl: number;
}

/** Of all of them together; the oldest go first. A store whose memory is full takes nothing for as long as it is. */
const MAX_LENGTH = 16 * 1024 * 1024;

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
  #length = 0;
  #storing: Promise<void> | undefined;

  constructor(store: SessionStore, options: LateOptions) {
    this.#store = store;
    this.#options = options;
  }

  add(answer: Answer): void {
    this.#waiting.set(answer, this.#options.clock.now() + this.#options.keepFor);
    this.#length += answer.line.length;
    for (const oldest of this.#waiting.keys()) {
      if (this.#length <= MAX_LENGTH) return;
      this.#remove(oldest);
    }
  }

  /** The session has ended. */
  forget(session: string): void {
    for (const answer of this.#waiting.keys()) if (answer.session === session) this.#remove(answer);
  }

  /** Stores them if that is possible now. Those that it is not possible for stay. */
  store(): Promise<void> {
    this.#storing ??= this.#storeAll().finally(() => {
      this.#storing = undefined;
    });
    return this.#storing;
  }

  /** One after the other: where the store does not take the first, it takes none. */
  async #storeAll(): Promise<void> {
    for (const [answer, until] of this.#waiting) {
      if (!this.#store.ready) return;
      const { log, line, ttl } = answer;
      try {
        if (this.#options.clock.now() < until) await this.#store.append(log, line, ttl);
      } catch {
        return;
      }
      this.#remove(answer);
    }
  }

  #remove(answer: Answer): void {
    if (this.#waiting.delete(answer)) this.#length -= answer.line.length;
  }
}
