import { PassingAnswer } from '../wire/passing-answer.js';
import type { LongLine } from '../wire/line-splitter.js';

/** A message on its way to the client. */
export interface Passage {
  write(pieces: readonly Buffer[]): void;
  /** The message is complete. */
  end(): void;
  /** Whether others wait for its end, and not for the client to read. */
  readonly isInTheWay: boolean;
}

/** What became of an answer: passed on, passed on as the failure of a tool, or not passed on to its end. */
export type PassedOutcome = 'result' | 'error' | 'cut-off';

/** How long the server may pause in the middle of an answer while something else waits to be sent. */
const STALL_MS = 2000;

/** An answer that goes to the client while the server still writes it. */
export class LongAnswer implements LongLine {
  readonly #answer: PassingAnswer;
  readonly #onEnd: (id: string, outcome: PassedOutcome) => string | undefined;
  readonly #stall: NodeJS.Timeout;
  /** Undefined once the client has got what it will get. */
  #passage: Passage | undefined;

  private constructor(
    answer: PassingAnswer,
    passage: Passage,
    onEnd: (id: string, outcome: PassedOutcome) => string | undefined,
  ) {
    this.#answer = answer;
    this.#passage = passage;
    this.#onEnd = onEnd;
    this.#stall = setInterval(() => {
      if (this.#passage?.isInTheWay === true) this.abandon();
    }, STALL_MS);
    this.#stall.unref();
  }

  /** `onEnd` is told the id, and returns the one that the client knows; undefined parts with the answer. */
  static open(
    parts: readonly Buffer[],
    passage: () => Passage | undefined,
    onEnd: (id: string, outcome: PassedOutcome) => string | undefined,
  ): LongAnswer | undefined {
    const answer = new PassingAnswer();
    const out = parts.flatMap((part) => answer.push(part) ?? []);
    const opened = answer.isAnswer ? passage() : undefined;
    if (opened === undefined) return undefined;
    opened.write(out);
    return new LongAnswer(answer, opened, onEnd);
  }

  push(part: Buffer): void {
    const out = this.#answer.push(part);
    this.#stall.refresh();
    if (out === undefined) this.abandon();
    else this.#passage?.write(out);
  }

  end(isComplete: boolean): void {
    clearInterval(this.#stall);
    const id = isComplete ? this.#answer.finish() : undefined;
    const outcome = this.#passage === undefined ? 'cut-off' : this.#answer.isToolError ? 'error' : 'result';
    const outerId = id === undefined ? undefined : this.#onEnd(id, outcome);
    if (outerId === undefined) this.abandon();
    else this.#finish(PassingAnswer.end(outerId));
  }

  /** Nothing more of it goes out, and nobody takes what did for an answer. */
  abandon(): void {
    this.#finish(this.#answer.abandon());
  }

  #finish(last: Buffer): void {
    const passage = this.#passage;
    this.#passage = undefined;
    clearInterval(this.#stall);
    passage?.write([last]);
    passage?.end();
  }
}
