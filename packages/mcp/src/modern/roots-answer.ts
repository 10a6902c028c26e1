import type { Answer } from '@rootward/core';
import { isObject } from '@rootward/core/platform';

/** The key of the question for roots among the input requests of a result; choose others for yours. */
export const ROOTS_INPUT_KEY = 'roots';

export interface InputResponses {
  readonly accepted: Readonly<Record<string, unknown>> | undefined;
  /** Keys of answers that do not even look like answers. */
  readonly dropped: readonly string[];
}

/**
 * What a request of the modern era says about our question: the answer, that there is none although it was asked, or
 * undefined when it has not been asked yet. Does NOT validate the answer; it comes from the client as it is.
 */
export function readRootsAnswer({ accepted, dropped }: InputResponses): Answer | undefined {
  if (accepted === undefined) return undefined;
  if (carriesRoots(accepted)) return { result: accepted[ROOTS_INPUT_KEY] };
  if (dropped.includes(ROOTS_INPUT_KEY)) return { result: null };
  // The handler asked something else in the round before, and needs roots only now.
  if (Object.values(accepted).some((answer) => answersAnotherQuestion(answer))) return undefined;
  return { missing: true };
}

/** Whether a request brings roots along, valid or not. */
export function carriesRoots(accepted: InputResponses['accepted']): boolean {
  return accepted !== undefined && Object.hasOwn(accepted, ROOTS_INPUT_KEY);
}

/** Elicitation answers have an `action`, sampling answers a `role`. */
function answersAnotherQuestion(answer: unknown): boolean {
  return isObject(answer) && (typeof answer['action'] === 'string' || typeof answer['role'] === 'string');
}
