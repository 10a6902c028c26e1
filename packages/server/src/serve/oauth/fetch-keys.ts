import type { Clock, Timer } from '@rootward/core';
import { isObject } from '@rootward/core/platform';
import { isSecureUrl } from '../../settings/values/http-settings.js';

const FETCH_MS = 5_000;
/** Once one place has answered with metadata, those that come before it have so long to do so, too. */
const HEAD_START_MS = 500;
/** Metadata and keys have a few KB. */
const MAX_BYTES = 1024 * 1024;
const WELL_KNOWN = ['oauth-authorization-server', 'openid-configuration'];
/** Of what others say, in a log line. */
const MAX_QUOTED = 200;

/**
 * The key set that an issuer publishes, from where its metadata says (RFC 8414). The metadata is asked every time: an
 * issuer may move its keys. Rejects with all that is wrong. Does NOT check that what came is a key set.
 */
export async function fetchKeys(
  issuer: string,
  fetch: typeof globalThis.fetch,
  clock: Clock,
): Promise<unknown> {
  const place = await keysUrl(issuer, fetch, clock);
  try {
    return JSON.parse(await load(place, fetch));
  } catch (error) {
    throw new Error(`${place}: ${problemOf(error)}`, { cause: error });
  }
}

/**
 * An issuer with a path has it after the well-known part (RFC 8414), or before it (OpenID Connect). All places are asked
 * at once, and the first in this order counts that has metadata; one that does not answer holds up none of the others.
 */
async function keysUrl(issuer: string, fetch: typeof globalThis.fetch, clock: Clock): Promise<string> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const places = WELL_KNOWN.flatMap((name) => [
    `${origin}/.well-known/${name}${path}`,
    `${origin}${path}/.well-known/${name}`,
  ]);
  const problems: string[] = [];
  let timer: Timer | undefined;
  let giveUp: (() => void) | undefined;
  const late = new Promise<undefined>((resolve) => {
    giveUp = () => resolve(undefined);
  });
  const asked = [...new Set(places)].map(async (place) => {
    try {
      const url = keysUrlIn(await load(place, fetch), issuer);
      timer ??= clock.setTimeout(() => giveUp?.(), HEAD_START_MS);
      return url;
    } catch (error) {
      problems.push(`${place}: ${problemOf(error)}`);
      return undefined;
    }
  });
  try {
    for (const each of asked) {
      // What has answered goes before what is too late.
      const url = await Promise.race([each, late]);
      if (url !== undefined) return url;
    }
  } finally {
    timer?.clear();
  }
  throw new Error(problems.toSorted().join('; '));
}

/** Throws for anything but metadata of this issuer: many servers answer unknown paths with a page. */
function keysUrlIn(text: string, issuer: string): string {
  const metadata: unknown = JSON.parse(text);
  if (!isObject(metadata)) throw new Error('it is not an object');
  const { issuer: named, jwks_uri: keys } = metadata;
  if (named !== issuer) {
    throw new Error(`the metadata says issuer ${quoted(named)}, --oauth-issuer says ${quoted(issuer)}`);
  }
  // Whoever could change the keys on their way could sign tokens.
  if (typeof keys !== 'string' || !isSecureUrl(keys)) {
    throw new Error(`the metadata says jwks_uri ${quoted(keys)}, expected an https:// address`);
  }
  return keys;
}

async function load(url: string, fetch: typeof globalThis.fetch): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_MS), redirect: 'error' });
  const text = await readText(response);
  if (!response.ok) throw new Error(`status ${response.status}`);
  return text;
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw new Error(`it has more than ${MAX_BYTES} bytes`);
  }
  return Buffer.concat(chunks).toString();
}

/** What `fetch` throws says only that it failed; its cause says why. */
function problemOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof SyntaxError) return 'it is not JSON';
  const { cause } = error;
  return cause instanceof Error && cause.message !== '' ? cause.message : error.message;
}

function quoted(value: unknown): string {
  return JSON.stringify(value ?? null).slice(0, MAX_QUOTED);
}
