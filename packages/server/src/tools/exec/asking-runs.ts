import { randomBytes } from 'node:crypto';
import { inputRequired, inputResponse } from '@modelcontextprotocol/server';
import type { CallToolResult, InputRequests } from '@modelcontextprotocol/server';
import { isObject } from '@rootward/core/platform';
import type { WorkspaceServerContext } from '@rootward/mcp';
import type { ToolQuestion } from '../../exec/answer/channel-message.js';
import type { UserAnswer } from '../../exec/run/tool-runner.js';

/** A user who has not answered by then does not answer; the run behind the question ends. */
const ANSWER_MS = 600_000;
const KEY_BYTES = 16;
const KEY_START = 'tool-';
const UNANSWERED: UserAnswer = { action: 'error', content: null };

/** What the request gets that started a run, or continued it with an answer. */
export type RunStep =
  | { readonly kind: 'done'; readonly result: CallToolResult }
  | { readonly kind: 'asks'; readonly inputRequests: InputRequests };

/** One run of an executable. It goes on over several requests, where it asks its user something in between. */
export class AskingRun {
  /** The call it belongs to: nobody else's answer counts. */
  readonly call: string;
  /** The request that waits for it right now; progress goes there. */
  current: WorkspaceServerContext;
  readonly #giveUp = new AbortController();
  readonly #finished: Promise<RunStep>;
  #unseen: InputRequests = {};
  #onQuestion: (() => void) | undefined;

  constructor(call: string, ctx: WorkspaceServerContext, start: (run: AskingRun) => Promise<CallToolResult>) {
    this.call = call;
    this.current = ctx;
    this.#finished = start(this).then((result) => ({ kind: 'done', result }));
    // Whoever takes a step hears of it.
    this.#finished.catch(() => undefined);
  }

  /** Ends the run, wherever it is. */
  get signal(): AbortSignal {
    return this.#giveUp.signal;
  }

  get finished(): Promise<RunStep> {
    return this.#finished;
  }

  giveUp(reason?: unknown): void {
    this.#giveUp.abort(reason);
  }

  /** Until it is done, or asks. A request that is cancelled takes the run with it. */
  async next(ctx: WorkspaceServerContext): Promise<RunStep> {
    this.current = ctx;
    const { signal, envelope } = ctx.mcpReq;
    const onAbort = (): void => this.giveUp(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    const asks = new Promise<undefined>((resolve) => {
      this.#onQuestion = () => resolve(undefined);
      if (Object.keys(this.#unseen).length > 0) resolve(undefined);
    });
    const done = await Promise.race([this.#finished, asks]);
    // On a legacy connection the same request goes on while the user is asked.
    if (done !== undefined || isObject(envelope)) signal.removeEventListener('abort', onAbort);
    if (done !== undefined) return done;
    const inputRequests = this.#unseen;
    this.#unseen = {};
    return { kind: 'asks', inputRequests };
  }

  show(inputRequests: InputRequests): void {
    this.#unseen = { ...this.#unseen, ...inputRequests };
    this.#onQuestion?.();
  }
}

interface OpenQuestion {
  readonly run: AskingRun;
  readonly answer: (answer: UserAnswer) => void;
}

/** The questions of executables that wait for an answer, in one process. */
export class OpenQuestions {
  readonly #open = new Map<string, OpenQuestion>();

  /** Shows the question to whoever waits for the run, and waits for the answer. */
  ask(run: AskingRun, question: ToolQuestion): Promise<UserAnswer> {
    const key = `${KEY_START}${randomBytes(KEY_BYTES).toString('hex')}`;
    return new Promise((resolve) => {
      const answer = (given: UserAnswer): void => {
        clearTimeout(timer);
        this.#open.delete(key);
        resolve(given);
      };
      const timer = setTimeout(() => run.giveUp(), ANSWER_MS);
      timer.unref();
      run.signal.addEventListener('abort', () => answer(UNANSWERED), { once: true });
      void run.finished.then(
        () => answer(UNANSWERED),
        () => answer(UNANSWERED),
      );
      this.#open.set(key, { run, answer });
      run.show({ [key]: requestOf(question) });
    });
  }

  /** The run that a request brings an answer for, which it gets; undefined for a request that starts anew. */
  takeUp(
    responses: Readonly<Record<string, unknown>> | undefined,
    call: string,
  ): AskingRun | 'gone' | undefined {
    const keys = Object.keys(responses ?? {}).filter((each) => each.startsWith(KEY_START));
    let run: AskingRun | undefined;
    for (const key of keys) {
      const found = this.#open.get(key);
      if (found === undefined || found.run.call !== call) return 'gone';
      run = found.run;
      const given = inputResponse({ ...responses }, key);
      const isAnswer = given.kind === 'elicit';
      found.answer({
        action: isAnswer ? given.action : 'cancel',
        content: isAnswer ? (given.content ?? null) : null,
      });
    }
    return run;
  }
}

function requestOf(question: ToolQuestion): InputRequests[string] {
  const { message } = question;
  if (question.mode === 'url') return inputRequired.elicitUrl({ message, url: question.url });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the client says what it thinks of another schema
  return inputRequired.elicit({ message, requestedSchema: question.schema as never });
}
