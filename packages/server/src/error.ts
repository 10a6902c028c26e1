/** What keeps the server from doing what it was asked: wrong use, wrong configuration, an address it cannot have, or a store that is down. */
export type ServerErrorCode = 'usage' | 'configuration' | 'listen' | 'store';

/** The only error this package throws on purpose outside tool calls. Switch on `code`; the message is for people. */
export class RootwardServerError extends Error {
  override readonly name = 'RootwardServerError';
  readonly code: ServerErrorCode;

  constructor(code: ServerErrorCode, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
  }
}
