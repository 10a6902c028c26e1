/** What went wrong between this package and a client. */
export type McpErrorCode =
  | 'closed'
  | 'invalid-handle'
  | 'invalid-message'
  | 'invalid-option'
  | 'line-too-long'
  | 'revoked'
  | 'session-too-large'
  | 'store-invalid'
  | 'store-unavailable'
  | 'unexpected-answer';

/** The only error this package throws on purpose. Switch on `code`; the message is for people. */
export class RootwardMcpError extends Error {
  override readonly name = 'RootwardMcpError';
  readonly code: McpErrorCode;
  /** What to do about it, in words a person or a model can act on. */
  readonly instruction: string | undefined;

  constructor(
    code: McpErrorCode,
    message: string,
    options: { readonly cause?: unknown; readonly instruction?: string } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.instruction = options.instruction;
  }
}
