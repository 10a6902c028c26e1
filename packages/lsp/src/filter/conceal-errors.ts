import type { Scope } from '@rootward/core';
import { RootwardLspError } from '../error.js';
import type { LspErrorCode } from '../error.js';
import { concealPaths } from './conceal-paths.js';

/** Failures whose message holds what a server said or wrote. */
const IN_ITS_WORDS: ReadonlySet<LspErrorCode> = new Set(['server-error', 'crashed']);

/** Passes a failure on without the places out of scope that a server may name in its own words. */
export async function concealErrors<Result>(
  { scope }: { readonly scope: Scope },
  answer: Promise<Result>,
): Promise<Result> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof RootwardLspError) || !IN_ITS_WORDS.has(error.code)) throw error;
    const { code, message, instruction, cause } = error;
    throw new RootwardLspError(code, concealPaths(scope, message), {
      cause,
      ...(instruction !== undefined && { instruction }),
    });
  }
}
