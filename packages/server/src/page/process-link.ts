import { connect, type Socket } from 'node:net';
import { isObject } from '@rootward/core/platform';
import { JsonLines } from '../watch/json-lines.js';
import { isProcessState, readEvents } from '../watch/read-messages.js';
import type { ActivityEvent } from '../audit/event-hub.js';
import type { ProcessState, ToProcess } from '../watch/protocol.js';

/** How long an answer may take before the page hears that there is none. */
const ANSWER_MS = 10_000;

export interface LinkListener {
  readonly onState: (state: ProcessState) => void;
  readonly onEvents: (events: readonly ActivityEvent[]) => void;
  readonly onEnd: () => void;
}

/**
 * The connection to one process. What comes is checked field by field: a process may lie about itself, but it cannot
 * claim another pid than the one its socket has, nor send more than a page can take.
 */
export class ProcessLink {
  readonly pid: number;
  readonly #socket: Socket;
  readonly #lines: JsonLines;
  readonly #waiting = new Map<number, (answer: unknown, error: string | undefined) => void>();
  #lastId = 0;

  constructor(path: string, pid: number, listener: LinkListener) {
    this.pid = pid;
    this.#socket = connect(path);
    this.#lines = new JsonLines(this.#socket, (message) => this.#receive(message, listener));
    this.#socket.once('close', () => {
      for (const answer of this.#waiting.values()) answer(undefined, 'The process has ended');
      this.#waiting.clear();
      listener.onEnd();
    });
  }

  /** Asks the process to do something. Rejects with what it says where it cannot. */
  request(method: ToProcess['method'], params: ToProcess['params']): Promise<unknown> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => settle(undefined, 'The process does not answer'), ANSWER_MS);
      const settle = (answer: unknown, error: string | undefined): void => {
        clearTimeout(timer);
        this.#waiting.delete(id);
        if (error === undefined) resolve(answer);
        else reject(new Error(error));
      };
      this.#waiting.set(id, settle);
      this.#lines.send({ id, method, params } satisfies ToProcess);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(message: unknown, { onState, onEvents }: LinkListener): void {
    if (!isObject(message)) return;
    switch (message['type']) {
      case 'state': {
        const { state } = message;
        if (isProcessState(state) && state.pid === this.pid) onState(state);
        else this.close();
        break;
      }
      case 'events':
        onEvents(readEvents(message['events']));
        break;
      case 'answer': {
        const { id, result, error } = message;
        if (typeof id === 'number')
          this.#waiting.get(id)?.(result, typeof error === 'string' ? error : undefined);
        break;
      }
      default:
        break;
    }
  }
}
