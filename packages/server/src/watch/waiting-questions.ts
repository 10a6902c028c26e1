import { randomUUID } from 'node:crypto';
import type { Disposable } from '@rootward/core';
import { disposable, Emitter } from '@rootward/core/platform';

/** As long as a form of a client would wait. */
const MAX_WAIT_MS = 60_000;

export interface WaitingQuestion {
  readonly id: string;
  readonly message: string;
  readonly since: number;
}

type Answer = 'accepted' | 'declined' | 'cancelled';

interface OpenQuestion extends WaitingQuestion {
  readonly settle: (answer: Answer) => void;
}

/** Questions that a client cannot show, while they wait for a page to answer them. */
export class WaitingQuestions {
  readonly #open = new Map<string, OpenQuestion>();
  readonly #changes = new Emitter();
  #pages = 0;

  /** Only asked while a page is connected: nobody else could answer. */
  get canAsk(): boolean {
    return this.#pages > 0;
  }

  /** Counts a page until it is disposed. When the last one leaves, nobody waits any longer. */
  pageConnected(): Disposable {
    this.#pages++;
    let left = false;
    const leave = (): void => {
      if (left) return;
      left = true;
      this.#pages--;
      if (this.#pages === 0) for (const { settle } of this.#open.values()) settle('cancelled');
    };
    return disposable(leave);
  }

  async ask(message: string, signal: AbortSignal): Promise<Answer> {
    if (!this.canAsk || signal.aborted) return 'cancelled';
    const id = randomUUID();
    return await new Promise((resolve) => {
      const settle = (answer: Answer): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', cancel);
        this.#open.delete(id);
        this.#changes.fire();
        resolve(answer);
      };
      const cancel = (): void => settle('cancelled');
      const timer = setTimeout(cancel, MAX_WAIT_MS);
      signal.addEventListener('abort', cancel, { once: true });
      this.#open.set(id, { id, message, since: Date.now(), settle });
      this.#changes.fire();
    });
  }

  /** False where the question is no longer open. */
  answer(id: string, accepted: boolean): boolean {
    const question = this.#open.get(id);
    question?.settle(accepted ? 'accepted' : 'declined');
    return question !== undefined;
  }

  list(): readonly WaitingQuestion[] {
    return Array.from(this.#open.values(), ({ id, message, since }) => ({ id, message, since }));
  }

  onDidChange(listener: () => void): Disposable {
    return this.#changes.add(listener);
  }
}
