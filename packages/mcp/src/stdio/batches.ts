import { failure, INVALID_REQUEST, type Incoming, type JsonRpcAnswer, type RequestId } from './message.js';

interface Batch {
  open: number;
  readonly answers: JsonRpcAnswer[];
}

/** Where an answer goes: on its own, into a batch that still waits, or out with the batch it completes. */
export type Placement =
  | { readonly kind: 'single' }
  | { readonly kind: 'held' }
  | { readonly kind: 'complete'; readonly answers: readonly JsonRpcAnswer[] };

const SINGLE: Placement = { kind: 'single' };
const HELD: Placement = { kind: 'held' };

/** Keeps the answers to the requests of one batch together, as JSON-RPC and revision 2025-03-26 ask. */
export class Batches {
  readonly #byId = new Map<RequestId, Batch>();

  /**
   * Registers the requests of a batch. Returns what to handle (a second request with the same id is invalid)
   * and the answers, if the batch holds nothing but invalid requests.
   */
  open(items: readonly Incoming[]): {
    readonly items: readonly Incoming[];
    readonly answers: readonly JsonRpcAnswer[];
  } {
    const batch: Batch = { open: 0, answers: [] };
    const accepted: Incoming[] = [];
    for (const item of items) {
      if (item.kind === 'request' && !this.#byId.has(item.message.id)) {
        this.#byId.set(item.message.id, batch);
        batch.open += 1;
        accepted.push(item);
      } else if (item.kind === 'request') {
        batch.answers.push(
          failure(item.message.id, INVALID_REQUEST, 'Cannot serve request: its id is already in use'),
        );
      } else {
        if (item.kind === 'invalid' && item.id !== undefined) {
          batch.answers.push(failure(item.id, INVALID_REQUEST, `Cannot serve request: ${item.problem}`));
        }
        accepted.push(item);
      }
    }
    return { items: accepted, answers: batch.open === 0 ? batch.answers : [] };
  }

  place(answer: JsonRpcAnswer): Placement {
    if (answer.id === undefined) return SINGLE;
    const batch = this.#byId.get(answer.id);
    if (batch === undefined) return SINGLE;
    batch.answers.push(answer);
    return this.#settle(answer.id, batch);
  }

  /** A cancelled request gets no answer; its batch must not wait for one. */
  cancel(id: RequestId): Placement {
    const batch = this.#byId.get(id);
    return batch === undefined ? SINGLE : this.#settle(id, batch);
  }

  #settle(id: RequestId, batch: Batch): Placement {
    this.#byId.delete(id);
    batch.open -= 1;
    return batch.open === 0 ? { kind: 'complete', answers: batch.answers } : HELD;
  }
}
