import { PassingAnswer } from '../wire/passing-answer.js';
import type { LongLine } from '../wire/line-splitter.js';

/** A request that has no answer yet, under the id of whoever asked. */
export interface OpenRequest {
  readonly id: string;
  readonly method: string;
}

/** A way for an answer that goes to the client while it comes. Nothing happens before it is opened. */
export interface Way {
  /** Members that the client wants to see in the result, as written. */
  readonly added: string;
  open(): Passage | undefined;
}

/** A message on its way to the client. */
export interface Passage {
  write(pieces: readonly Buffer[]): void;
  /** The message is complete: the answer to the request with this id. Without one, `incomplete` ends it as no answer. */
  end(id: string | undefined, incomplete: Buffer): void;
  /** Whether others wait for its end, and not for the client to read. */
  readonly isInTheWay: boolean;
  /** Whether the client does not read it and nobody could be made to wait for that, so that too much of it is kept here. */
  readonly isUnread: boolean;
}

/**
 * How an answer ended: passed on, passed on as the failure of a tool, cut off, not read by the client, or dropped because it
 * asks something.
 */
export type PassedOutcome = 'result' | 'error' | 'cut-off' | 'unread' | 'asks-back';

/** What is known of an answer by its beginning. */
interface Beginning {
  /** As written; undefined where it comes later. */
  readonly id: string | undefined;
  readonly mayAskBack: boolean;
}

/** Undefined where this is not the beginning of a result. */
export function readBeginning(parts: readonly Buffer[]): Beginning | undefined {
  const answer = new PassingAnswer();
  for (const part of parts) answer.push(part);
  return answer.isAnswer ? answer : undefined;
}

/**
 * How long the server may pause in the middle of an answer while something else waits to be sent. On a busy machine it
 * may get no processor for seconds.
 */
const STALL_MS = 10_000;

/** An answer that goes to the client while the server still writes it. */
export class LongAnswer implements LongLine {
  readonly #answer: PassingAnswer;
  readonly #onEnd: (id: string, outcome: PassedOutcome) => string | undefined;
  readonly #mayAskBack: boolean;
  readonly #stall: NodeJS.Timeout;
  /** Undefined once the client has got what it will get. */
  #passage: Passage | undefined;
  #isUnread = false;

  private constructor(
    answer: PassingAnswer,
    passage: Passage,
    onEnd: (id: string, outcome: PassedOutcome) => string | undefined,
    mayAskBack: boolean,
  ) {
    this.#answer = answer;
    this.#mayAskBack = mayAskBack;
    this.#passage = passage;
    this.#onEnd = onEnd;
    this.#stall = setInterval(() => {
      if (this.#passage?.isInTheWay === true) this.abandon();
    }, STALL_MS);
    this.#stall.unref();
  }

  /**
   * `onEnd` is told the id, and returns the one that the client knows; undefined parts with the answer. `mayAskBack` for a
   * server whose results may ask something, which nobody could answer who has got a part of it.
   */
  static open(
    parts: readonly Buffer[],
    way: Way,
    onEnd: (id: string, outcome: PassedOutcome) => string | undefined,
    mayAskBack = false,
  ): LongAnswer | undefined {
    const answer = new PassingAnswer(way.added);
    const out = parts.flatMap((part) => answer.push(part) ?? []);
    const opened = answer.isAnswer ? way.open() : undefined;
    if (opened === undefined) return undefined;
    opened.write(out);
    return new LongAnswer(answer, opened, onEnd, mayAskBack);
  }

  push(part: Buffer): void {
    const out = this.#answer.push(part);
    this.#stall.refresh();
    if (out === undefined || this.#asksBack) this.abandon();
    else this.#passage?.write(out);
    if (this.#passage?.isUnread !== true) return;
    this.#isUnread = true;
    this.abandon();
  }

  end(isComplete: boolean): void {
    clearInterval(this.#stall);
    const id = isComplete ? this.#answer.finish() : undefined;
    this.#finish(id === undefined ? undefined : this.#onEnd(id, this.#outcome));
  }

  get #asksBack(): boolean {
    return this.#mayAskBack && this.#answer.mayAskBack;
  }

  get #outcome(): PassedOutcome {
    if (this.#asksBack) return 'asks-back';
    if (this.#passage === undefined) return this.#isUnread ? 'unread' : 'cut-off';
    return this.#answer.isToolError ? 'error' : 'result';
  }

  /** Nothing more of it is sent, and what was sent does not count as an answer. */
  abandon(): void {
    this.#finish(undefined);
  }

  #finish(id: string | undefined): void {
    const passage = this.#passage;
    this.#passage = undefined;
    clearInterval(this.#stall);
    passage?.end(id, this.#answer.abandon());
  }
}

/** A way whose passage is renamed. */
export function renamedWay(way: Way, rename: (id: string | undefined) => string | undefined): Way {
  return {
    added: way.added,
    open: () => {
      const passage = way.open();
      return passage && renamed(passage, rename);
    },
  };
}

/** A passage whose answer has another id further on; `rename` is called once, when it ends. */
export function renamed(passage: Passage, rename: (id: string | undefined) => string | undefined): Passage {
  return {
    get isInTheWay(): boolean {
      return passage.isInTheWay;
    },
    get isUnread(): boolean {
      return passage.isUnread;
    },
    write: (pieces) => passage.write(pieces),
    end: (id, incomplete) => passage.end(rename(id), incomplete),
  };
}
