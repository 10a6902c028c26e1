import { systemClock, type Clock, type Logger, type Timer } from '@rootward/core';
import type { errors, JWTVerifyGetKey } from 'jose';
import { CLOCK_TOLERANCE_SECONDS } from './clock-tolerance.js';
import { fetchKeys } from './fetch-keys.js';

const KEYS_KEPT_MS = 10 * 60_000;
/** Early enough that a few attempts may fail before anybody has to wait. */
const REFRESH_MS = 8 * 60_000;
const RETRY_MS = 30_000;
/**
 * While the issuer is out of reach, the keys it had last are used for so long. Longer, and a key that it has withdrawn
 * would count for as long as someone keeps us from asking.
 */
const OUTAGE_MS = 60 * 60_000;
/**
 * A token that no known key fits has them fetched anew, but not more often than this, whether the issuer gives them or
 * fails: anyone can send such tokens.
 */
const KEYS_PAUSE_MS = 5_000;
/** Each problem is logged once in an outage, and no more of them than this. */
const MAX_TOLD = 20;

export interface IssuerKeysOptions {
  readonly issuer: string;
  readonly log: Logger;
  readonly fetch?: typeof fetch;
  readonly clock?: Clock;
}

interface KeySet {
  readonly find: JWTVerifyGetKey;
  /** When they were asked for, by our clock and by that of the wall. */
  readonly at: number;
  readonly askedAt: number;
}

/**
 * The keys that an issuer publishes. They are kept, and fetched anew in the background before they are too old, or when
 * a token names another. Disposing ends that.
 */
export class IssuerKeys {
  readonly #issuer: string;
  readonly #log: Logger;
  readonly #fetch: typeof fetch;
  readonly #clock: Clock;
  readonly #told = new Set<string>();
  #kept: KeySet | undefined;
  #fetching: Promise<KeySet> | undefined;
  #failedAt = -Infinity;
  #next: Timer | undefined;
  #isDisposed = false;

  constructor({ issuer, log, fetch: given = fetch, clock = systemClock }: IssuerKeysOptions) {
    this.#issuer = issuer;
    this.#log = log;
    this.#fetch = given;
    this.#clock = clock;
  }

  /**
   * What `verify` makes of a token with the keys of the issuer, the second time with keys that were asked for after the
   * token came, if none fits before: an issuer may rotate them under the same name, or without names. Rejects with an
   * error of jose where something is wrong with the token, with another one where that is not known now.
   */
  async check<T>(token: string, verify: (find: JWTVerifyGetKey) => Promise<T>): Promise<T> {
    const jose = await import('jose');
    const came = this.#clock.now();
    for (let ask = () => this.#current(); ; ask = () => this.#ask()) {
      const used: { set?: KeySet } = {};
      try {
        // Asked by `verify`, as what is not a token at all needs no keys.
        return await verify(async (header, jws) => (used.set = await ask()).find(header, jws));
      } catch (error) {
        const { set } = used;
        const fault = set === undefined ? undefined : keyFault(error, jose.errors);
        if (set === undefined || fault === undefined) throw error;
        // Asked for after the token came: it is not there.
        if (set.at >= came) throw fault;
        if (this.#clock.now() - set.at >= KEYS_PAUSE_MS) continue;
        if (issuedAt(token, jose.decodeJwt) <= set.askedAt - CLOCK_TOLERANCE_SECONDS * 1000) throw fault;
        // The key may have come with the token. A client would throw away one that is called invalid.
        throw new Error('Cannot find the key: the issuer was asked a moment ago', { cause: error });
      }
    }
  }

  /** In the background: whoever comes later does not wait. What goes wrong is logged. */
  refresh(): void {
    this.#ask().catch(() => undefined);
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#next?.clear();
  }

  async #current(): Promise<KeySet> {
    const kept = this.#kept;
    const age = kept === undefined ? Infinity : this.#clock.now() - kept.at;
    if (kept === undefined || age >= OUTAGE_MS) return this.#ask();
    if (age < KEYS_KEPT_MS) return kept;
    // An issuer that gave none since then is not waited for by every request.
    if (this.#failedAt > kept.at) {
      this.refresh();
      return kept;
    }
    return this.#ask().catch(() => kept);
  }

  #ask(): Promise<KeySet> {
    this.#fetching ??= this.#askNow().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #askNow(): Promise<KeySet> {
    const at = this.#clock.now();
    const askedAt = Date.now();
    if (at - this.#failedAt < KEYS_PAUSE_MS) {
      throw new Error('Cannot fetch keys: that failed a moment ago');
    }
    try {
      const { createLocalJWKSet } = await import('jose');
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- checked by jose
      const keys = (await fetchKeys(this.#issuer, this.#fetch, this.#clock)) as Parameters<
        typeof createLocalJWKSet
      >[0];
      this.#kept = { find: createLocalJWKSet(keys), at, askedAt };
      if (this.#told.size > 0) this.#log.info('keys of the token issuer can be fetched again');
      this.#told.clear();
      this.#plan(REFRESH_MS);
      return this.#kept;
    } catch (error) {
      this.#failedAt = this.#clock.now();
      this.#tell(error instanceof Error ? error.message : String(error));
      this.#plan(RETRY_MS);
      // Not an error of jose: those say that something is wrong with a token.
      throw new Error('Cannot fetch keys', { cause: error });
    }
  }

  #plan(delay: number): void {
    this.#next?.clear();
    if (!this.#isDisposed) this.#next = this.#clock.setTimeout(() => this.refresh(), delay);
  }

  #tell(problem: string): void {
    if (this.#told.has(problem) || this.#told.size >= MAX_TOLD) return;
    this.#told.add(problem);
    this.#log.warn('keys of the token issuer cannot be fetched', { issuer: this.#issuer, problem });
  }
}

/** What is wrong with the key of a token; undefined where it fits, and something else is wrong. */
function keyFault(error: unknown, known: typeof errors): errors.JOSEError | undefined {
  if (error instanceof known.JWKSNoMatchingKey) return error;
  if (error instanceof known.JWSSignatureVerificationFailed) return error;
  if (error instanceof known.JOSEError && !(error instanceof known.JWKSInvalid)) return undefined;
  // Published, but damaged, too short or private. Only tokens that name it are refused.
  return new known.JWKInvalid('the key cannot be used', { cause: error });
}

/** When a token says that it was issued, in milliseconds. NOT to be trusted: its signature does not fit. */
function issuedAt(token: string, decode: (token: string) => { readonly iat?: unknown }): number {
  try {
    const { iat } = decode(token);
    return typeof iat === 'number' ? iat * 1000 : -Infinity;
  } catch {
    return -Infinity;
  }
}
