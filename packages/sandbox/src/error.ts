/** Why a sandbox could not be provided, or a child could not be started in it. */
export type SandboxErrorCode =
  | 'unavailable'
  | 'needs-full'
  | 'broad-root'
  | 'denied-root'
  | 'not-found'
  | 'too-many-files'
  | 'invalid-option';

/** What goes into a `RootwardSandboxError` beside its code and message. */
export interface SandboxErrorOptions {
  readonly cause?: unknown;
  /** What to do about it, in words a person can act on. */
  readonly instruction?: string;
}

/** The only error this package throws on purpose. Switch on `code`; the message is for people. */
export class RootwardSandboxError extends Error {
  override readonly name = 'RootwardSandboxError';
  readonly code: SandboxErrorCode;
  readonly instruction: string | undefined;

  constructor(code: SandboxErrorCode, message: string, options: SandboxErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.instruction = options.instruction;
  }
}
