import { isObject } from '../platform/json.js';
import { readAbsolutePath } from '../uri/absolute-path.js';
import type { PathStyle } from '../uri/path-style.js';
import { cutAt, printable } from '../uri/printable.js';
import { readFileUri } from '../uri/read-file-uri.js';
import type { RejectionReason } from '../error.js';
import type { RootAccess } from './root.js';

/** A root as an operator writes it: an absolute path, or one relative to the base it is read with. */
export interface PathEntry {
  readonly path: string;
  readonly name?: string;
  readonly access?: RootAccess;
}

/** What one declared root names, before anything looked at the disk. */
export type Declaration =
  | {
      readonly ok: true;
      readonly declared: string;
      readonly path: string;
      /** The path counts only if it exists as written. */
      readonly ambiguous: boolean;
      readonly name: string | undefined;
      readonly access: RootAccess;
    }
  | {
      readonly ok: false;
      readonly declared: string;
      readonly reason: RejectionReason;
      readonly message: string;
    };

/** Reads one client root, which may be any JSON. */
export function declareUri(entry: unknown, style: PathStyle): Declaration {
  if (!isObject(entry) || typeof entry['uri'] !== 'string') {
    const declared = describe(entry);
    return {
      ok: false,
      declared,
      reason: 'malformed',
      message: `Cannot read ${declared}: it has no "uri" string`,
    };
  }
  const { uri, name } = entry;
  const reading = readFileUri(uri, style);
  if (!reading.ok) return refuse(uri, reading.reason, reading.message);
  return { ...reading, declared: uri, name: readName(name), access: 'read-write' };
}

/** Reads one operator root. A relative path is appended to `base` unchanged, so that `..` is resolved physically. */
export function declarePath(entry: PathEntry, style: PathStyle, base: string | undefined): Declaration {
  const joined =
    base !== undefined && entry.path !== '' && isRelative(entry.path, style)
      ? `${base}/${entry.path}`
      : entry.path;
  const reading = readAbsolutePath(joined, style);
  if (!reading.ok) {
    return refuse(entry.path, reading.reason, `Cannot read "${printable(entry.path)}": ${reading.state}`);
  }
  return {
    ok: true,
    declared: entry.path,
    path: reading.path,
    ambiguous: false,
    name: readName(entry.name),
    access: entry.access ?? 'read-write',
  };
}

/** Whether a variable such as `${workspaceFolder}` was passed on without being expanded. */
export function holdsVariable(text: string): boolean {
  return text.includes('${');
}

function refuse(declared: string, reason: RejectionReason, message: string): Declaration {
  const shown = printable(declared);
  if (!holdsVariable(declared)) return { ok: false, declared: shown, reason, message };
  return { ok: false, declared: shown, reason: 'unexpanded', message: unexpandedMessage(declared) };
}

export function unexpandedMessage(declared: string): string {
  return `Cannot use "${printable(declared)}" as a root: a variable in it was not expanded`;
}

/** `\x` and `C:x` are not absolute, but what they are relative to is not the base either. */
function isRelative(path: string, style: PathStyle): boolean {
  return style === 'windows' ? !/^(?:[\\/]|[a-z]:)/i.test(path) : !path.startsWith('/');
}

/** A name is only for display, so a useless one is dropped and the root still counts. */
function readName(name: unknown): string | undefined {
  if (typeof name !== 'string' || name.trim() === '' || /[\p{Cc}\p{Cs}]/u.test(name)) return undefined;
  return cutAt(name, MAX_NAME_LENGTH);
}

/** Names appear in listings; a longer text is not a name. */
const MAX_NAME_LENGTH = 200;

function describe(value: unknown): string {
  try {
    return printable(JSON.stringify(value) ?? String(value));
  } catch {
    // Nested too deep to be written out; a list would fail again when it is turned into a string.
    return Object.prototype.toString.call(value);
  }
}
