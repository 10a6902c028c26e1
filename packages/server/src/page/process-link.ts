import { connect, type Socket } from 'node:net';
import { isObject } from '@rootward/core/platform';
import { isChallenge, newChallenge, signedWords } from '../watch/admit-page.js';
import { DoorKey } from '../watch/door-key.js';
import { JsonLines } from '../watch/json-lines.js';
import { openMark, type OpenMark } from '../watch/page-process.js';
import { PROTOCOL } from '../watch/protocol.js';
import { isProcessState, readEvents } from '../watch/read-messages.js';
import type { ActivityEvent } from '../audit/event-hub.js';
import type { ProcessState, ToProcess } from '../watch/protocol.js';

/** How long an answer may take before the page hears that there is none. */
const ANSWER_MS = 10_000;
const MAX_REASON = 500;

export interface LinkListener {
  readonly onState: (state: ProcessState) => void;
  readonly onEvents: (events: readonly ActivityEvent[]) => void;
  /** With the reason, where the process and this page did not recognise each other. */
  readonly onEnd: (refused: string | undefined) => void;
}

/**
 * The connection to one process. Both sides prove that they know the key of this user before anything is shown or done.
 * What comes is checked field by field: a process cannot claim another pid than the one its socket has, nor send more than
 * a page can take.
 */
export class ProcessLink {
  readonly pid: number;
  readonly #socket: Socket;
  readonly #lines: JsonLines;
  readonly #waiting = new Map<number, (answer: unknown, error: string | undefined) => void>();
  readonly #folder: string;
  readonly #own = newChallenge();
  #mark: OpenMark | undefined;
  #theirs: string | undefined;
  #isAdmitted = false;
  #refused: string | undefined;
  #lastId = 0;

  /** `folder` has the key. */
  constructor(path: string, pid: number, folder: string, listener: LinkListener) {
    this.pid = pid;
    this.#folder = folder;
    this.#socket = connect(path);
    this.#lines = new JsonLines(this.#socket, (message) => this.#receive(message, listener));
    this.#socket.once('close', () => {
      for (const answer of this.#waiting.values()) answer(undefined, 'The process has ended');
      this.#waiting.clear();
      this.#mark?.[Symbol.dispose]();
      listener.onEnd(this.#refused);
    });
  }

  /** Asks the process to do something. Rejects with what it says where it cannot. */
  request(method: ToProcess['method'], params: ToProcess['params']): Promise<unknown> {
    if (!this.#isAdmitted) return Promise.reject(new Error('The process has not let this page in'));
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

  #receive(message: unknown, listener: LinkListener): void {
    if (!isObject(message)) return;
    if (this.#isAdmitted) {
      this.#show(message, listener);
      return;
    }
    try {
      this.#introduce(message);
    } catch (error) {
      this.#refused = error instanceof Error ? error.message : String(error);
      this.close();
    }
  }

  /** Answers the challenge of the process, and checks its answer to ours. Throws where one of them is not right. */
  #introduce(message: Readonly<Record<string, unknown>>): void {
    const { type, challenge, proof, reason } = message;
    if (type === 'refused') throw new Error(`It refuses this page: ${String(reason).slice(0, MAX_REASON)}`);
    if (type === 'challenge' && message['protocol'] === PROTOCOL && isChallenge(challenge)) {
      if (this.#theirs !== undefined) throw new Error('It asks for a proof twice');
      this.#theirs = challenge;
      this.#mark = openMark(this.#folder, challenge);
      const words = signedWords('page', this.pid, [challenge, this.#own]);
      const signed = DoorKey.read(this.#folder).sign(...words);
      this.#lines.send({ challenge: this.#own, proof: signed, pid: this.#mark.pid });
      return;
    }
    if (type !== 'welcome' || this.#theirs === undefined)
      throw new Error('It speaks another protocol: restart it, so that it has the version of this page');
    const words = signedWords('process', this.pid, [this.#theirs, this.#own]);
    if (!DoorKey.read(this.#folder).verify(proof, ...words))
      throw new Error('It does not prove that it is a process of this user');
    this.#mark?.[Symbol.dispose]();
    this.#mark = undefined;
    this.#isAdmitted = true;
  }

  #show(message: Readonly<Record<string, unknown>>, { onState, onEvents }: LinkListener): void {
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
