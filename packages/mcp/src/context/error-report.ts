import { RootwardError } from '@rootward/core';
import { RootwardMcpError } from '../error.js';

/** An error in words a model can act on. `error_type` is stable; the message is not. */
export interface ErrorReport {
  readonly error_type: string;
  readonly message: string;
  readonly instruction: string;
}

/**
 * The key of `_meta` under which a failed call has its `ErrorReport`, also where a tool's output schema leaves no room
 * for it in the structured content.
 */
export const ERROR_META_KEY = 'rootward/error';

const INVALID_PARAMS = -32_602;
const INTERNAL_ERROR = -32_603;

const INSTRUCTIONS: Readonly<Record<string, string>> = {
  'already-exists': 'Choose another path, or remove what is there first',
  'bad-encoding': 'Pass a plain path instead of a URI',
  'cross-device': 'Copy it, then remove the original',
  'invalid-option': 'Tell the user: this is a fault of the server, which no other argument corrects',
  'invalid-path': 'Pass a path inside the roots, absolute or relative to the first root',
  io: 'Try again; if it keeps failing, tell the user',
  'link-loop': 'Use a path that does not lead through this link',
  'no-roots': 'Ask the user to open a folder in the client or to configure one',
  'not-a-directory': 'Pass the path of a directory',
  'not-a-file': 'Pass the path of a file; list a folder to see what is in it',
  'not-a-file-uri': 'Pass a plain path or a file URI',
  'not-empty': 'Empty the directory first, or ask for a recursive removal',
  'not-found': 'List the directory above to see what is there',
  'not-permitted': 'Leave it as it is, or ask the user to allow it',
  'not-text': 'Read it as bytes instead',
  'outside-roots': 'Use a path inside the roots',
  'read-only': 'Write somewhere else; this place may only be read',
  'too-large': 'Read a part of it instead',
  'unstable-path': 'Try again',
  'unsupported-type': 'Pass the path of a regular file or a folder',
};
const OTHERWISE = 'Check the path against the roots of this workspace';

/** Whether an error is one of a workspace. */
export function isOurs(error: unknown): error is RootwardError | RootwardMcpError {
  return error instanceof RootwardError || error instanceof RootwardMcpError;
}

/** What a model reads about an error of a workspace; undefined for other errors. */
export function reportError(error: unknown): ErrorReport | undefined {
  if (!isOurs(error)) return undefined;
  return {
    error_type: error.code.replaceAll('-', '_'),
    message: error.message,
    instruction: error.instruction ?? INSTRUCTIONS[error.code] ?? OTHERWISE,
  };
}

/** The result of a tool that failed with an error of a workspace. */
export interface FailedToolResult {
  [key: string]: unknown;
  content: { type: 'text'; text: string }[];
  isError: true;
  structuredContent?: { [key: string]: unknown };
  _meta: { [key: string]: unknown };
}

/**
 * `hasOutputSchema`: clients of SDK v1 check the structured content of a failed call, too, against the tool's output
 * schema, and throw the error away when it does not match.
 */
export function failedToolResult(report: ErrorReport, hasOutputSchema: boolean): FailedToolResult {
  return {
    content: [{ type: 'text', text: `${report.message}\n${report.instruction}` }],
    isError: true,
    ...(!hasOutputSchema && { structuredContent: { ...report } }),
    _meta: { [ERROR_META_KEY]: report },
  };
}

/** The code of the JSON-RPC error that stands for an error of ours in prompts and resources. */
export function rpcCode(report: ErrorReport): number {
  return report.error_type === 'io' || report.error_type === 'disposed' ? INTERNAL_ERROR : INVALID_PARAMS;
}
