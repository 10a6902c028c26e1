export { RootwardError } from './error.js';
export type { ErrorCode, RootwardErrorOptions, ScopeErrorCode } from './error.js';
export type {
  Rejection,
  RejectionReason,
  Root,
  RootAccess,
  RootKind,
  RootList,
  Source,
} from './roots/root.js';
