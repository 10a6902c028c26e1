import { RootwardWrapError } from '../error.js';
import { RawMessage } from '../wire/raw-message.js';

/** The way to the client. */
export interface Outer {
  /** Sends one message, given in pieces. `related` is the id, as the client wrote it, of the request it belongs to. */
  send(pieces: readonly Buffer[], related?: string): void;
}

/** A question to the client that is not answered yet. */
interface Question {
  answered(answer: RawMessage): void;
}

/** Requests that go to the client, under ids of ours. */
export class Questions {
  readonly #outer: Outer;
  readonly #open = new Map<string, Question>();
  #nextId = 1;

  constructor(outer: Outer) {
    this.#outer = outer;
  }

  /** Returns the id under which the question went out. */
  put(message: RawMessage, answered: (answer: RawMessage) => void, related?: string): string {
    const id = String(this.#nextId++);
    this.#open.set(id, { answered });
    this.#outer.send(message.withId(id), related);
    return id;
  }

  /** Asks and waits. Rejects with an error that has a numeric `code` where the client answers with an error. */
  ask(method: string, signal: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const id = this.put(RawMessage.from({ id: 0, method }), (answer) => {
        if (answer.isError) reject(Object.assign(new Error('refused'), { code: codeOf(answer) }));
        else resolve(answer.value('result'));
      });
      signal.addEventListener('abort', () => {
        this.#open.delete(id);
        reject(new RootwardWrapError('no-answer', 'Cannot use the answer: it is not wanted any more'));
      });
    });
  }

  /** False where nothing was asked under this id. */
  settle(answer: RawMessage): boolean {
    const id = answer.id ?? '';
    const question = this.#open.get(id);
    this.#open.delete(id);
    question?.answered(answer);
    return question !== undefined;
  }

  /** The answer is not wanted any more. Does NOT tell the client. */
  forget(id: string): void {
    this.#open.delete(id);
  }

  /** Takes a question back. */
  withdraw(id: string, reason: string): void {
    if (!this.#open.delete(id)) return;
    const params = { requestId: Number(id), reason };
    this.#outer.send([RawMessage.from({ method: 'notifications/cancelled', params }).bytes]);
  }
}

function codeOf(answer: RawMessage): unknown {
  const code = answer.value('error', 'code');
  return typeof code === 'number' ? code : -32_603;
}
