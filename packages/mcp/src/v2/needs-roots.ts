import { inputRequired } from '@modelcontextprotocol/server';
import type { InputRequiredResult } from '@modelcontextprotocol/server';
import { ROOTS_INPUT_KEY } from '../workspace/roots-answer.js';

/**
 * Ends a handler that wants roots which have to be asked for. It is not an error and never reaches the client: what
 * surrounds the handler asks, and the handler runs again with the answer.
 */
class NeedsRoots extends Error {
  override readonly name = 'NeedsRoots';
}

/**
 * One for all: it tells nothing about the call, and a stack trace per call costs more than the question itself. Frozen,
 * so that what a handler writes into it does not reach another call.
 */
export const needsRoots: Error = Object.freeze(
  new NeedsRoots('The client is being asked for roots; this call will be repeated'),
);

export function askForRoots(): InputRequiredResult {
  return inputRequired({ inputRequests: { [ROOTS_INPUT_KEY]: inputRequired.listRoots() } });
}

/** Asks for roots along with what a handler asks, because the next round carries the answers of this one only. */
export function askForRootsToo(result: InputRequiredResult): InputRequiredResult {
  const { inputRequests } = result;
  if (inputRequests !== undefined && Object.hasOwn(inputRequests, ROOTS_INPUT_KEY)) return result;
  return { ...result, inputRequests: { ...inputRequests, [ROOTS_INPUT_KEY]: inputRequired.listRoots() } };
}
