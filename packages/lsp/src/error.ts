/** Why a language server could not be asked, or its answer not be used. */
export type LspErrorCode =
  | 'no-server'
  | 'not-installed'
  | 'not-trusted'
  | 'start-failed'
  | 'crashed'
  | 'timeout'
  | 'loading'
  | 'unsupported'
  | 'server-error'
  | 'symbol-not-found'
  | 'broad-root'
  | 'edit-refused'
  | 'changed-meanwhile'
  | 'edit-failed'
  | 'invalid-option'
  | 'disposed';

/** What goes into a `RootwardLspError` beside its code and message. */
export interface LspErrorOptions {
  readonly cause?: unknown;
  /** What to do about it, in words a person or a model can act on. */
  readonly instruction?: string;
}

/** The only error this package throws on purpose, beside those of a scope. Switch on `code`; the message is for people. */
export class RootwardLspError extends Error {
  override readonly name = 'RootwardLspError';
  readonly code: LspErrorCode;
  readonly instruction: string | undefined;

  constructor(code: LspErrorCode, message: string, options: LspErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.instruction = options.instruction;
  }
}
