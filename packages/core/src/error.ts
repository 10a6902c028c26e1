/** Why a declared root does not count. */
export type RejectionReason =
  | 'malformed'
  | 'not-a-file-uri'
  | 'remote-authority'
  | 'bad-encoding'
  | 'ambiguous'
  | 'not-absolute'
  | 'not-found'
  | 'not-readable'
  | 'not-a-directory-or-file'
  | 'unwanted-kind'
  | 'outside-ceiling'
  | 'too-broad'
  | 'unexpanded'
  | 'duplicate'
  | 'too-many';

/** Why an operation through a scope did not happen. */
export type ScopeErrorCode =
  | 'no-roots'
  | 'outside-roots'
  | 'denied'
  | 'read-only'
  | 'protected'
  | 'rules-unreadable'
  | 'invalid-path'
  | 'not-found'
  | 'already-exists'
  | 'not-a-file'
  | 'not-a-directory'
  | 'not-empty'
  | 'unsupported-type'
  | 'link-loop'
  | 'unstable-path'
  | 'changed-meanwhile'
  | 'cross-device'
  | 'too-large'
  | 'not-text'
  | 'not-permitted'
  | 'io';

/** Why the history refused a change, or refused to undo one. */
export type HistoryErrorCode = 'history-unavailable' | 'not-kept' | 'changed-since' | 'unknown-change';

/** Every `code` that a `RootwardError` can have. */
export type ErrorCode =
  | RejectionReason
  | ScopeErrorCode
  | HistoryErrorCode
  | 'ambiguous-tree'
  | 'root-gone'
  | 'invalid-option'
  | 'no-project'
  | 'disposed';

/** What goes into a `RootwardError` beside its code and message. */
export interface RootwardErrorOptions {
  readonly cause?: unknown;
  /** The path the caller asked about, as the caller wrote it. */
  readonly path?: string;
  /** What to do about it, in words a person or a model can act on. */
  readonly instruction?: string;
}

/**
 * The only error this package throws on purpose. Switch on `code`; the message is for people.
 *
 * @example
 * ```ts
 * import { RootwardError } from '@rootward/core';
 *
 * export function adviceFor(error: unknown): string {
 *   if (!(error instanceof RootwardError)) throw error;
 *   return error.code === 'outside-roots' ? 'Stay inside the roots' : (error.instruction ?? error.message);
 * }
 * ```
 */
export class RootwardError extends Error {
  override readonly name = 'RootwardError';
  readonly code: ErrorCode;
  readonly path: string | undefined;
  readonly instruction: string | undefined;

  constructor(code: ErrorCode, message: string, options: RootwardErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.path = options.path;
    this.instruction = options.instruction;
  }
}
