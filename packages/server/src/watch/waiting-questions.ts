import { randomUUID } from 'node:crypto';
import type { Disposable } from '@rootward/core';
import { disposable, Emitter } from '@rootward/core/platform';
import type { ConsentQuestion, StandingConsent, StandingConsents } from './standing-consents.js';

/** As long as a form of a client would wait. */
const MAX_WAIT_MS = 60_000;

export interface WaitingQuestion {
  readonly id: string;
  readonly message: string;
  readonly since: number;
  /** A yes may hold until it is taken back. */
  readonly canStand: boolean;
}

type Answer = 'accepted' | 'declined' | 'cancelled' | 'unsupported';

interface OpenQuestion {
  readonly question: ConsentQuestion;
  readonly since: number;
  readonly settle: (answer: Answer) => void;
}

/** Where answers that outlive a session are kept, and who is told when one is used. */
interface Standing {
  readonly consents: StandingConsents;
  readonly used: (question: ConsentQuestion) => void;
}

/** Questions that a client cannot show, while they wait for a page to answer them. */
export class WaitingQuestions {
  readonly #open = new Map<string, OpenQuestion>();
  readonly #changes = new Emitter();
  readonly #standing: Standing | undefined;
  #pages = 0;

  constructor(standing?: Standing) {
    this.#standing = standing;
  }

  /** Whether a yes is possible: only a page can answer, or has answered before. */
  get canAsk(): boolean {
    return this.#pages > 0 || this.standing().length > 0;
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

  async ask(question: ConsentQuestion, signal: AbortSignal): Promise<Answer> {
    if (signal.aborted) return 'cancelled';
    if (this.#standing?.consents.has(question) === true) {
      this.#standing.used(question);
      return 'accepted';
    }
    if (this.#pages === 0) return 'unsupported';
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
      this.#open.set(id, { question, since: Date.now(), settle });
      this.#changes.fire();
    });
  }

  /** For the session that asks, or until it is taken back. False where the question is no longer open. */
  answer(id: string, accepted: boolean, stands = false): boolean {
    const open = this.#open.get(id);
    if (open === undefined) return false;
    if (accepted && stands) {
      if (this.#standing === undefined)
        throw new Error('Cannot keep the answer: it holds for a session only');
      this.#standing.consents.keep(open.question, Date.now());
    }
    open.settle(accepted ? 'accepted' : 'declined');
    return true;
  }

  list(): readonly WaitingQuestion[] {
    const canStand = this.#standing !== undefined;
    return Array.from(this.#open, ([id, { question, since }]) => ({
      id,
      message: question.message,
      since,
      canStand,
    }));
  }

  /** The answers that hold until they are taken back, the latest first. */
  standing(): readonly StandingConsent[] {
    return this.#standing?.consents.list() ?? [];
  }

  /** Takes an answer back. False where it does not hold any more. */
  withdraw(id: string): boolean {
    const known = this.#standing?.consents.forget(id);
    if (known !== undefined) this.#changes.fire();
    return known !== undefined;
  }

  onDidChange(listener: () => void): Disposable {
    return this.#changes.add(listener);
  }
}
