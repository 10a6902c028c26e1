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
export { fileUriToPath, pathToFileUri } from './uri/file-uri.js';
export { hostPathStyle } from './uri/path-style.js';
export type { PathStyle } from './uri/path-style.js';
export { readFileUri } from './uri/read-file-uri.js';
export type { FileUriReading } from './uri/read-file-uri.js';
