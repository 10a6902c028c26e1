import type { Scope } from '@rootward/core';
import { RootwardLspError, type LspErrorCode } from '../error.js';
import { concealPaths } from './conceal-paths.js';

/** Failures whose message holds what a server said or wrote. */
const IN_ITS_WORDS: ReadonlySet<LspErrorCode> = new Set(['server-error', 'crashed']);

/**
 * Passes a failure on without the places out of scope that a server may name in its own words. An answer that is not of
 * the kind the protocol asks for shows as a `TypeError` where it is taken apart: that is a failure of the server too.
 */
export async function concealErrors<Result>(
  { scope }: { readonly scope: Scope },
  answer: Promise<Result>,
): Promise<Result> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof TypeError) throw unreadable(error);
    if (!(error instanceof RootwardLspError) || !IN_ITS_WORDS.has(error.code)) throw error;
    const { code, message, instruction, cause } = error;
    throw new RootwardLspError(code, concealPaths(scope, message), {
      cause,
      ...(instruction !== undefined && { instruction }),
    });
  }
}

export function unreadable(cause?: TypeError): RootwardLspError {
  const message = 'Cannot use the answer of the language server: it is not what the protocol says';
  return new RootwardLspError('server-error', message, { cause });
}
