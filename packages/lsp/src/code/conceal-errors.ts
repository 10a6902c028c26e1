import { RootwardLspError } from '../error.js';
import { concealPaths } from './conceal-paths.js';
import type { CodeContext } from './context.js';

/** Passes a failure on without the places out of scope that a server may name in its own words. */
export async function concealErrors<Result>(
  { scope }: CodeContext,
  answer: Promise<Result>,
): Promise<Result> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof RootwardLspError) || error.code !== 'server-error') throw error;
    const { code, message, instruction, cause } = error;
    throw new RootwardLspError(code, concealPaths(scope, message), {
      cause,
      ...(instruction !== undefined && { instruction }),
    });
  }
}
