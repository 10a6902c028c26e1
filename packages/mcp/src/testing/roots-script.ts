/** A root as a client declares it. For nonsense, use `answeringWith`. */
export interface DeclaredRoot {
  readonly uri: string;
  readonly name?: string;
}

/** One question for roots that the server asked. Answer it now, later, never, twice, or after a newer one. */
export interface AskedForRoots {
  /** 1 for the first question this client was asked. */
  readonly number: number;
  /** `request`: a `roots/list` of its own (legacy). `input`: asked as input for a call (modern). */
  readonly way: 'request' | 'input';
  answer(roots: readonly DeclaredRoot[]): void;
  /** Answers with any value in place of the result, to be wrong on purpose. */
  answerWith(result: unknown): void;
  /** Legacy: an error answer. Modern: the call is repeated without the answer. */
  refuse(code?: number, message?: string): void;
}

/** What a scripted client does when it is asked for roots. */
export type RootsScript = (asked: AskedForRoots) => void;

const METHOD_NOT_FOUND = -32_601;

/** Answers at once. */
export function answering(roots: readonly DeclaredRoot[]): RootsScript {
  return (asked) => asked.answer(roots);
}

/** Answers when `time` has come. */
export function answeringAfter(time: Promise<unknown>, roots: readonly DeclaredRoot[]): RootsScript {
  return (asked) => void time.then(() => asked.answer(roots));
}

/** Answers with something that is no list of roots. */
export function answeringWith(result: unknown): RootsScript {
  return (asked) => asked.answerWith(result);
}

/** Refuses, by default as a client that does not know the method. */
export function refusing(code: number = METHOD_NOT_FOUND, message = 'Method not found'): RootsScript {
  return (asked) => asked.refuse(code, message);
}

/** Declares roots and never answers; a test may still answer through `client.asked`. */
export const silent: RootsScript = () => undefined;

/** One script per question; the last one goes on. */
export function inTurn(...scripts: readonly [RootsScript, ...RootsScript[]]): RootsScript {
  return (asked) => (scripts[asked.number - 1] ?? scripts.at(-1))?.(asked);
}
