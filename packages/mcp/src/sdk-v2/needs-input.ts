import { inputRequired, isInputRequiredResult } from '@modelcontextprotocol/server';
import type { InputRequests, InputRequiredResult } from '@modelcontextprotocol/server';
import { ROOTS_INPUT_KEY } from '../modern/roots-answer.js';

/**
 * Ends a handler that needs an answer of the client first. It is not an error and never reaches the client: the wrapper
 * of the handler asks (on a legacy connection the SDK turns that into a request of its own), and the handler runs again
 * with the answer. Throw it before anything is changed.
 */
export class NeedsInput extends Error {
  override readonly name = 'NeedsInput';
  readonly inputRequests: InputRequests;

  constructor(inputRequests: InputRequests) {
    super('The client is being asked; this call will be repeated');
    this.inputRequests = inputRequests;
  }
}

/**
 * One for all: it tells nothing about the call, and a stack trace per call costs more than the question itself. Frozen,
 * so that what a handler writes into it does not reach another call.
 */
export const needsRoots: NeedsInput = Object.freeze(
  new NeedsInput({ [ROOTS_INPUT_KEY]: inputRequired.listRoots() }),
);

export function askFirst({ inputRequests }: NeedsInput): InputRequiredResult {
  return inputRequired({ inputRequests });
}

/** Asks for roots along with what a handler asks, because the next round carries the answers of this one only. */
export function askForRootsToo(result: unknown): unknown {
  if (!isInputRequiredResult(result)) return result;
  const { inputRequests = {} } = result;
  const asks = Object.hasOwn(inputRequests, ROOTS_INPUT_KEY);
  return asks ? result : { ...result, inputRequests: { ...inputRequests, ...needsRoots.inputRequests } };
}
