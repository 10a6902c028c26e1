import type { RejectionReason } from '../error.js';
import { findUnusableCharacter, readAbsolutePath } from './absolute-path.js';
import type { PathStyle } from './path-style.js';
import { printable } from './printable.js';

/**
 * What a file URI names. `ambiguous` means that an unencoded `?` or `#` was taken as part of the name: the caller
 * must check that this very path exists, and otherwise refuse with the reason `ambiguous`.
 */
export type FileUriReading =
  | { readonly ok: true; readonly path: string; readonly ambiguous: boolean }
  | { readonly ok: false; readonly reason: RejectionReason; readonly message: string };

interface UriParts {
  readonly authority: string;
  readonly path: string;
}

// Per style: what ends the authority. Real Windows clients send `file://d:\x`; on posix a backslash is part of a name.
const AUTHORITY = { posix: /^\/\/([^/]*)(.*)$/su, windows: /^[\\/]{2}([^\\/]*)(.*)$/su } as const;
const ROOT_SEPARATOR = { posix: /^\//, windows: /^[\\/]/ } as const;
const ENCODED_SEPARATOR = { posix: /%2f/i, windows: /%2f|%5c/i } as const;

/**
 * Reads a file URI (on Windows also a bare drive path, which real clients send) into an absolute path.
 *
 * Written by hand because `URL` cuts at `?` and `#`, turns `\` into `/` and lets NUL pass, so that what comes out
 * can be wider than what was named. Never cuts anything, never resolves links or dot segments, does not touch the
 * disk, and does not say whether the path exists or may be used.
 *
 * @example
 * ```ts
 * import { readFileUri } from '@rootward/core';
 *
 * const reading = readFileUri('file:///home/me/app', 'posix');
 * console.log(reading.ok ? reading.path : reading.message);
 * ```
 */
export function readFileUri(uri: string, style: PathStyle): FileUriReading {
  const refuse = (reason: RejectionReason, state: string): FileUriReading => ({
    ok: false,
    reason,
    message: `Cannot read "${printable(uri)}": ${state}`,
  });

  if (uri === '') return refuse('malformed', 'it is empty');
  const unusable = findUnusableCharacter(uri);
  if (unusable !== undefined) return refuse('bad-encoding', unusable);

  if (style === 'windows' && isBareWindowsPath(uri)) {
    const bare = readAbsolutePath(uri, style);
    return bare.ok ? { ...bare, ambiguous: false } : refuse(bare.reason, bare.state);
  }

  if (!/^file:/i.test(uri)) return refuse('not-a-file-uri', 'it does not start with "file:"');
  const { authority, path } = splitUri(uri.slice('file:'.length), style);
  if (authority !== '' && authority.toLowerCase() !== 'localhost') {
    return refuse('remote-authority', `"${printable(authority)}" is not this machine`);
  }
  if (path === '') return refuse('malformed', 'it has no path');
  if (ENCODED_SEPARATOR[style].test(path)) return refuse('bad-encoding', 'it holds an encoded separator');

  const decoded = decodePercent(path);
  if (decoded === undefined) return refuse('bad-encoding', 'its percent-encoding is not valid UTF-8');

  if (!ROOT_SEPARATOR[style].test(decoded)) return refuse('not-absolute', 'it is not an absolute path');
  const reading = readAbsolutePath(style === 'windows' ? dropRootSeparator(decoded) : decoded, style);
  if (!reading.ok) return refuse(reading.reason, reading.state);
  return { ...reading, ambiguous: /[?#]/.test(path) };
}

function isBareWindowsPath(text: string): boolean {
  return /^(?:[a-z]:|\\|\/\/)/i.test(text);
}

function splitUri(rest: string, style: PathStyle): UriParts {
  const [, authority = '', path = rest] = AUTHORITY[style].exec(rest) ?? [];
  const isDrive = style === 'windows' && /^[a-z](?::|%3a)$/i.test(authority);
  return isDrive ? { authority: '', path: `/${authority}${path}` } : { authority, path };
}

/** `/C:/x` is how a URI writes `C:/x`. Two separators stay: they start a network path, which is refused as such. */
function dropRootSeparator(path: string): string {
  return /^[\\/](?![\\/])/.test(path) ? path.slice(1) : path;
}

function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
