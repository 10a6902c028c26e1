import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { hostname, networkInterfaces } from 'node:os';
import type { AuthInfo } from '@modelcontextprotocol/server';
import { isLoopback } from '../../settings/settings.js';

const LOOPBACK_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];
/** What listens on every address of this machine, and the one among them that is always there. */
const ANY_ADDRESS: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['[::]', '[::1]'],
]);
const BEARER = /^bearer +(\S+) *$/i;
/** A scheme, and what belongs to it (RFC 9110, section 11.4). */
const CREDENTIALS = /^([\w!#$%&'*+.^`|~-]+)(?: +\S.*)?$/;
const ABSOLUTE_TARGET = /^https?:\/\/([^/?#]*)(.*)$/i;
/** Of the digest of a token, by which its principal is known. */
export const PRINCIPAL_DIGITS = 16;

/**
 * The names under which a browser may reach us. A page of another site whose name was pointed at this machine sends
 * its own name, and is refused by it.
 */
export function allowedHostnames(host: string): readonly string[] {
  if (isLoopback(host)) return [...new Set([...LOOPBACK_NAMES, inUrl(host)])];
  if (!isAnyAddress(host)) return [...LOOPBACK_NAMES, asInHeader(host)];
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return [...LOOPBACK_NAMES, hostname().toLowerCase(), ...addresses.map(({ address }) => inUrl(address))];
}

export function isAnyAddress(host: string): boolean {
  return ANY_ADDRESS.has(asInHeader(host));
}

/** Where clients on this machine reach a server that listens there: "any" is no address to connect to. */
export function localAddress(host: string): string {
  return ANY_ADDRESS.get(asInHeader(host)) ?? inUrl(host);
}

/**
 * As clients write it: in lower case, and an IPv6 address in its shortest form and without the zone, which means
 * something on this machine only.
 */
function asInHeader(host: string): string {
  const url = `http://${inUrl(host.replace(/%.*$/, ''))}`;
  return URL.canParse(url) ? new URL(url).hostname : host.toLowerCase();
}

/**
 * Whether a `Host` header is a name and at most a port. Read as a part of a URL, `localhost/evil.example` and
 * `evil.example@localhost` would pass for `localhost`.
 */
function isHostHeader(header: string): boolean {
  return !/[\s/\\?#@]/.test(header);
}

/** Why a request comes by a name that is not ours; undefined where nothing speaks against it. */
export function faultOfHost(host: string | undefined, names: readonly string[]): string | undefined {
  if (host === undefined || host === '') return 'Missing Host header';
  if (!isHostHeader(host)) return 'Invalid Host header';
  if (names.includes(hostnameOf(`http://${host}`))) return undefined;
  return `Invalid Host: ${host}; if clients reach the server by this name, its operator has to set --public-url`;
}

/** Why a request comes from a page that is not ours. Programs send no origin; a page always does. */
export function faultOfOrigin(origin: string | undefined, names: readonly string[]): string | undefined {
  return origin === undefined || names.includes(hostnameOf(origin)) ? undefined : `Invalid Origin: ${origin}`;
}

/**
 * What a proxy would be asked for, a server must understand, too (RFC 9112, section 3.2.2): the name in the target takes
 * the place of `Host`, and has to pass as such.
 */
export function readAbsoluteTarget(request: IncomingMessage): void {
  const [, authority, rest = ''] = ABSOLUTE_TARGET.exec(request.url ?? '') ?? [];
  if (authority === undefined) return;
  request.headers.host = authority;
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
}

/** Empty where it is no URL, as the origin "null" of a local page. */
function hostnameOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : '';
}

/** An IPv6 address stands in brackets where a port may follow. */
export function inUrl(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}

/**
 * Knows who may connect. Holds digests, not tokens: nothing that is logged or passed on can give one away, and
 * comparing digests of equal length takes the same time wherever they differ.
 */
export class TokenGate {
  readonly #digests: readonly Buffer[];

  /** Without tokens, everyone passes. */
  constructor(tokens: readonly string[]) {
    this.#digests = tokens.map(digest);
  }

  get open(): boolean {
    return this.#digests.length === 0;
  }

  /** Whom an `Authorization` header stands for; undefined where nobody is let in by it. Does NOT look at `open`. */
  admit(authorization: string | undefined): AuthInfo | undefined {
    const token = bearerToken(authorization);
    if (token === undefined) return undefined;
    const given = digest(token);
    // All are compared, so that the time does not tell which one came close.
    const matches = this.#digests.filter((known) => timingSafeEqual(known, given));
    if (matches.length === 0) return undefined;
    const principal = given.toString('hex').slice(0, PRINCIPAL_DIGITS);
    return { token: principal, clientId: principal, scopes: [] };
  }
}

/** The token of an `Authorization` header. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return BEARER.exec(authorization ?? '')?.[1];
}

/** Whether an `Authorization` header is not written as one, or says `Bearer` without one token. */
export function isMalformed(authorization: string | undefined): boolean {
  if (authorization === undefined || authorization === '') return false;
  const scheme = CREDENTIALS.exec(authorization)?.[1]?.toLowerCase();
  return scheme === undefined || (scheme === 'bearer' && bearerToken(authorization) === undefined);
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
