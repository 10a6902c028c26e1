/** How a client reacted to `roots/list`, before any single root is looked at. */
export type Outcome =
  | { readonly kind: 'list'; readonly entries: readonly unknown[] }
  | { readonly kind: 'malformed'; readonly detail: string }
  | { readonly kind: 'refused'; readonly code: number }
  | { readonly kind: 'lost'; readonly detail: string };

/** A question that was not answered with a list. */
export type Failure = Exclude<Outcome, { readonly kind: 'list' }>;

/** An answer that reached the server some other way than through a port. */
export type Answer =
  | { readonly result: unknown }
  | { readonly error: unknown }
  /** It was asked for and did not come; it will not be asked for again. */
  | { readonly missing: true };

export function readAnswer(answer: Answer): Outcome {
  if ('result' in answer) return readResult(answer.result);
  if ('error' in answer) return readFailure(answer.error);
  return { kind: 'lost', detail: 'no answer came' };
}

/**
 * The list a result of `roots/list` holds.
 *
 * One bad entry does not affect the good ones. A list without anything that looks like a root is a malformed answer:
 * the previous roots stay and are not revoked.
 */
export function readResult(result: unknown): Outcome {
  if (typeof result !== 'object' || result === null || !('roots' in result)) {
    return { kind: 'malformed', detail: `the result is ${describe(result)}` };
  }
  const { roots } = result;
  if (!Array.isArray(roots)) return { kind: 'malformed', detail: `"roots" is ${describe(roots)}` };
  if (roots.length > 0 && !roots.some(looksLikeRoot)) {
    return { kind: 'malformed', detail: 'no entry of "roots" has a "uri"' };
  }
  return { kind: 'list', entries: roots };
}

/** A numeric `code` means that the client itself answered with an error; anything else that no answer came. */
export function readFailure(error: unknown): Outcome {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  // Aborts and timeouts of the platform have a numeric code, too, which no client sent.
  if (typeof code === 'number' && !(error instanceof DOMException)) return { kind: 'refused', code };
  return { kind: 'lost', detail: error instanceof Error ? error.message : String(error) };
}

function looksLikeRoot(entry: unknown): boolean {
  return typeof entry === 'object' && entry !== null && 'uri' in entry && typeof entry.uri === 'string';
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object without "roots"';
  return value === undefined ? 'missing' : `a ${typeof value}`;
}
