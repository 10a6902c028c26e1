import { RootwardServerError } from '../../error.js';
import { suggest } from '@rootward/core/platform';
import type { HttpLimits } from './option-values.js';
import { readPath, type Origin } from './read-values.js';
import { readSmallFile } from './small-file.js';

const LIMIT_NAMES = ['requests', 'sessions', 'bytes'] as const;
const STORE_PROTOCOLS: ReadonlySet<string> = new Set(['redis:', 'rediss:', 'unix:']);
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** The URL of a store, or where it is kept. A password on the command line can be read by every user of the machine. */
export function readStore(
  text: string,
  origin: Origin,
): { readonly store: string; readonly storeFile?: string } {
  if (!text.startsWith('@')) return { store: storeUrl(text, origin.name) };
  const storeFile = readPath(text.slice(1), origin);
  return { store: storeUrl(readSmallFile(storeFile, 'the URL of the store').trim(), storeFile), storeFile };
}

function storeUrl(text: string, name: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const fault = storeFault(url);
  // What is almost right may hold a password, and must not appear in a message.
  if (url === undefined || fault !== undefined) {
    throw refuse(
      `Cannot use ${name}: ${fault}; expected redis://HOST[:PORT][/DATABASE], rediss://…, unix:///PATH, or @FILE with one; write / and @ of a password as %2F and %40`,
    );
  }
  if (![url.username, url.password, url.pathname].every(isEncoded)) {
    throw refuse(`Cannot use ${name}: a % in its user, password or path must be written as %25`);
  }
  if (url.password !== '' && name.startsWith('--')) {
    throw refuse(
      `Cannot use ${name}: other users can read its password in the list of processes; set ROOTWARD_STORE to the URL, or put it into a file and pass ${name} @FILE`,
    );
  }
  return text;
}

function isEncoded(part: string): boolean {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

/** The client ignores a query, in which somebody may have put a password, and takes a missing host for this machine. */
function storeFault(url: URL | undefined): string | undefined {
  if (url === undefined) return 'it is not a URL, or its port is not a number up to 65535';
  const { protocol, hostname, pathname, search, hash } = url;
  if (!STORE_PROTOCOLS.has(protocol)) return 'it begins with none of redis://, rediss:// and unix://';
  if (search !== '' || hash !== '') return 'it has a query or fragment (? or #)';
  if (protocol === 'unix:') return pathname.length > 1 ? undefined : 'the path of the socket is missing';
  if (hostname === '') return 'the host is missing';
  return /^(\/\d*)?$/.test(pathname) ? undefined : 'what follows the host is not the number of a database';
}

export function readLimits(texts: readonly string[], { name }: Origin): HttpLimits {
  const limits = texts
    .flatMap((text) => text.split(','))
    .map((text): [string, number] => {
      const [key = '', ...values] = text.split('=').map((part) => part.trim());
      const value = values.join('=');
      if (!(LIMIT_NAMES as readonly string[]).includes(key)) {
        const problem = 'expected requests, sessions or bytes, and a number, such as requests=100';
        throw refuse(`Cannot use ${JSON.stringify(text)} as ${name}: ${problem}${suggest(key, LIMIT_NAMES)}`);
      }
      if (!/^[1-9]\d{0,14}$/.test(value)) {
        throw refuse(
          `Cannot use ${JSON.stringify(text)} as ${name}: expected a whole number above 0, such as ${key}=100`,
        );
      }
      return [key, Number(value)];
    });
  const twice = LIMIT_NAMES.find((key) => limits.filter(([limit]) => limit === key).length > 1);
  if (twice !== undefined) {
    throw refuse(`Cannot use ${JSON.stringify(texts.join(','))} as ${name}: give ${twice} once`);
  }
  return Object.fromEntries(limits);
}

/**
 * An address that others are told, or that keys are fetched from: nobody on the way may change what comes back. Others
 * are made from it (RFC 8414, RFC 9728), in which a query would have no place.
 */
export function readSecureUrl(text: string, { name }: Origin): string {
  // A password must not appear in a message, also where the rest is wrong.
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if ((url?.username ?? '') + (url?.password ?? '') !== '' || (text.includes('@') && !isSecureUrl(text))) {
    throw refuse(`Cannot use ${name}: expected an https:// address without a user name or password`);
  }
  if (/[?#]/.test(text)) {
    throw refuse(
      `Cannot use ${JSON.stringify(text)} as ${name}: expected an https:// address without a query or fragment; leave out ? or # and what follows`,
    );
  }
  if (!isSecureUrl(text)) {
    throw refuse(
      `Cannot use ${JSON.stringify(text)} as ${name}: expected an https:// address, or an http:// address of this machine (localhost, 127.0.0.1 or [::1])`,
    );
  }
  return text;
}

/** Whether it is an address by HTTPS, or on this machine, without a password. */
export function isSecureUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, hash } = new URL(text);
  const isSecure = protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname));
  return isSecure && username === '' && password === '' && hash === '';
}

function refuse(message: string): RootwardServerError {
  return new RootwardServerError('usage', message);
}
