import type { IncomingHttpHeaders } from 'node:http';
import { isObject } from '@rootward/core/platform';
import { CAPABILITIES_KEY, MODERN_REVISION, VERSION_KEY } from '../wire/envelope.js';
import type { RawMessage } from '../wire/raw-message.js';

/** Why a request of the modern era is refused before a server sees it. */
export interface HeaderFault {
  readonly code: number;
  readonly message: string;
  readonly data?: object;
}

const HEADER_MISMATCH = -32_020;
const UNSUPPORTED_VERSION = -32_022;
const INVALID_PARAMS = -32_602;
/** Where the body has what `Mcp-Name` repeats. */
const NAMED: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};
const ENCODED = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/;

/** Whether a request means to be one of the modern era, well made or not. */
export function claimsModern(headers: IncomingHttpHeaders, message: RawMessage): boolean {
  return (
    message.method === 'server/discover' ||
    message.span('params', '_meta', VERSION_KEY) !== undefined ||
    (message.method !== 'initialize' && textOf(headers, 'mcp-protocol-version') === MODERN_REVISION)
  );
}

/**
 * What stands between client and server may have looked at the headers only, so they have to say what the body says.
 * Undefined where they do.
 */
export function headerFault(headers: IncomingHttpHeaders, message: RawMessage): HeaderFault | undefined {
  const meta: unknown = message.value('params', '_meta');
  const version = isObject(meta) ? meta[VERSION_KEY] : undefined;
  const capabilities = isObject(meta) ? meta[CAPABILITIES_KEY] : undefined;
  if (typeof version !== 'string' || !isObject(capabilities)) {
    const missing = typeof version === 'string' ? CAPABILITIES_KEY : VERSION_KEY;
    return { code: INVALID_PARAMS, message: `Invalid params: _meta has no valid ${missing}` };
  }
  const named = textOf(headers, 'mcp-protocol-version');
  if (named !== version) {
    return mismatch(`the body names revision ${version}, and MCP-Protocol-Version ${named ?? 'is missing'}`);
  }
  if (version !== MODERN_REVISION) {
    const data = { supported: [MODERN_REVISION], requested: version };
    return { code: UNSUPPORTED_VERSION, message: `Unsupported protocol version: ${version}`, data };
  }
  const { method = '' } = message;
  const given = textOf(headers, 'mcp-method');
  if (given !== method) return mismatch(`the body names ${method}, and Mcp-Method ${given ?? 'is missing'}`);
  return nameFault(headers, message, NAMED[method]);
}

function nameFault(
  headers: IncomingHttpHeaders,
  message: RawMessage,
  member: string | undefined,
): HeaderFault | undefined {
  const wanted: unknown = member === undefined ? undefined : message.value('params', member);
  if (typeof wanted !== 'string') return undefined;
  const given = textOf(headers, 'mcp-name');
  if (given === undefined)
    return mismatch(`the body names ${JSON.stringify(wanted)}, and Mcp-Name is missing`);
  const name = decoded(given);
  if (name === undefined) return mismatch('Mcp-Name is not valid Base64');
  return name === wanted
    ? undefined
    : mismatch(`the body names ${JSON.stringify(wanted)}, and Mcp-Name ${JSON.stringify(name)}`);
}

/** Undefined where the encoding is wrong. */
export function decoded(value: string): string | undefined {
  if (!value.startsWith('=?base64?') || !value.endsWith('?=')) return value;
  const text = ENCODED.exec(value)?.[1];
  return text === undefined || text.length % 4 !== 0
    ? undefined
    : Buffer.from(text, 'base64').toString('utf8');
}

export function textOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value.trim() : undefined;
}

export function mismatch(message: string): HeaderFault {
  return { code: HEADER_MISMATCH, message: `Bad Request: ${message}` };
}
