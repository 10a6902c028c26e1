/** What went wrong; callers switch on it. */
export type WrapErrorCode =
  | 'usage'
  | 'not-found'
  | 'not-started'
  | 'ended'
  | 'no-answer'
  | 'refused'
  | 'closed';

/** Any failure of this package. */
export class RootwardWrapError extends Error {
  override readonly name = 'RootwardWrapError';
  readonly code: WrapErrorCode;
  /** A remedy to give to a model, where trying again is none. */
  readonly instruction: string | undefined;

  constructor(
    code: WrapErrorCode,
    message: string,
    options: { readonly cause?: unknown; readonly instruction?: string } = {},
  ) {
    super(message, options);
    this.code = code;
    this.instruction = options.instruction;
  }
}
