import { isObject } from '@rootward/core/platform';
import type { JWTVerifyGetKey } from 'jose';
import { isSecureUrl } from '../../settings/values/http-settings.js';

const KEYS_KEPT_MS = 10 * 60_000;
/** An unknown key has them fetched anew, but not more often than this. */
const KEYS_PAUSE_MS = 5_000;
/** An issuer that could not give them is left alone for so long, whatever tokens come meanwhile. */
const FAILURE_PAUSE_MS = 1_000;
const FETCH_MS = 5_000;
/** Metadata and keys have a few KB. */
const MAX_BYTES = 1024 * 1024;
const WELL_KNOWN = ['oauth-authorization-server', 'openid-configuration'];

/** The keys that an issuer publishes: found by its metadata (RFC 8414), kept, and fetched anew when they are rotated. */
export class IssuerKeys {
  readonly #issuer: string;
  readonly #fetch: typeof fetch;
  #finding: Promise<JWTVerifyGetKey> | undefined;
  #failedAt = -Infinity;

  constructor(issuer: string, given: typeof fetch = fetch) {
    this.#issuer = issuer;
    this.#fetch = given;
  }

  /** Rejects where the issuer does not say where its keys are. */
  async find(): Promise<JWTVerifyGetKey> {
    const finding = (this.#finding ??= this.#locate());
    try {
      return await finding;
    } catch (error) {
      if (this.#finding === finding) this.#finding = undefined;
      throw error;
    }
  }

  async #locate(): Promise<JWTVerifyGetKey> {
    const { createRemoteJWKSet, customFetch } = await import('jose');
    return createRemoteJWKSet(await this.#unlessFailed(() => this.#keysUrl()), {
      cacheMaxAge: KEYS_KEPT_MS,
      cooldownDuration: KEYS_PAUSE_MS,
      timeoutDuration: FETCH_MS,
      [customFetch]: (url: string, init: RequestInit) => this.#unlessFailed(() => this.#fetchKeys(url, init)),
    });
  }

  async #fetchKeys(url: string, init: RequestInit): Promise<Response> {
    const response = await this.#fetch(url, { ...init, redirect: 'error' });
    const text = await readText(response);
    if (!response.ok) throw new Error(`Cannot fetch keys: status ${response.status}`);
    return new Response(text);
  }

  async #unlessFailed<Value>(act: () => Promise<Value>): Promise<Value> {
    if (Math.abs(Date.now() - this.#failedAt) < FAILURE_PAUSE_MS) {
      throw new Error('Cannot fetch keys: that failed a moment ago');
    }
    try {
      return await act();
    } catch (error) {
      this.#failedAt = Date.now();
      throw error;
    }
  }

  /** An issuer with a path has it after the well-known part (RFC 8414), or before it (OpenID Connect). */
  async #keysUrl(): Promise<URL> {
    const { origin, pathname } = new URL(this.#issuer);
    const path = pathname.replace(/\/$/, '');
    const places = WELL_KNOWN.flatMap((name) => [
      `${origin}/.well-known/${name}${path}`,
      `${origin}${path}/.well-known/${name}`,
    ]);
    // All at once: one that does not answer must not use up the time of the others.
    const found = await Promise.all([...new Set(places)].map((place) => this.#keysUrlAt(place)));
    const url = found.find((each) => each !== undefined);
    if (url === undefined) throw new Error(`Cannot find the keys of ${this.#issuer}`);
    return url;
  }

  /** Undefined for anything but metadata of this issuer: many servers answer unknown paths with a page. */
  async #keysUrlAt(place: string): Promise<URL | undefined> {
    try {
      const signal = AbortSignal.timeout(FETCH_MS);
      const response = await this.#fetch(place, { signal, redirect: 'error' });
      const text = await readText(response);
      const metadata: unknown = response.ok ? JSON.parse(text) : undefined;
      if (!isObject(metadata) || metadata['issuer'] !== this.#issuer) return undefined;
      const keys = metadata['jwks_uri'];
      // Whoever could change the keys on their way could sign tokens.
      return typeof keys === 'string' && isSecureUrl(keys) ? new URL(keys) : undefined;
    } catch {
      return undefined;
    }
  }
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw new Error(`Cannot read the answer: it has more than ${MAX_BYTES} bytes`);
  }
  return Buffer.concat(chunks).toString();
}
