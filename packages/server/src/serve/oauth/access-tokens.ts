import type { AuthInfo } from '@modelcontextprotocol/server';
import { isObject } from '@rootward/core/platform';
import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import { accessOf, SCOPES } from './scopes.js';

/** What a request gets that is not let in. */
export interface Refusal {
  readonly status: 401 | 403 | 503;
  readonly message: string;
  /** For `WWW-Authenticate`, as RFC 6750 names it. */
  readonly error?: 'invalid_token' | 'insufficient_scope';
}

export interface AccessTokensOptions {
  readonly issuer: string;
  readonly audience: string;
  readonly fetch?: typeof fetch;
}

/** Signed with a key that only the issuer has: never `none`, and no secret that both sides know. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
const CLOCK_TOLERANCE_SECONDS = 60;
const MAX_TOKEN_LENGTH = 8 * 1024;
const KEYS_KEPT_MS = 10 * 60_000;
/** An unknown key has them fetched anew, but not more often than this. */
const KEYS_PAUSE_MS = 5_000;
const FETCH_MS = 5_000;
const WELL_KNOWN = ['oauth-authorization-server', 'openid-configuration'];

/** Checks access tokens of an OAuth 2.1 issuer, with the keys that it publishes (RFC 9068, RFC 8414). */
export class AccessTokens {
  readonly #options: AccessTokensOptions;
  #keys: Promise<JWTVerifyGetKey> | undefined;

  constructor(options: AccessTokensOptions) {
    this.#options = options;
  }

  get issuer(): string {
    return this.#options.issuer;
  }

  async admit(token: string): Promise<AuthInfo | Refusal> {
    if (token.length > MAX_TOKEN_LENGTH) return invalid('The access token is too long');
    const { jwtVerify, errors } = await import('jose');
    let keys: JWTVerifyGetKey;
    try {
      keys = await (this.#keys ??= this.#findKeys());
    } catch {
      this.#keys = undefined;
      return unreachable();
    }
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer: this.#options.issuer,
        audience: this.#options.audience,
        algorithms: ALGORITHMS,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        requiredClaims: ['exp', 'sub'],
      });
      return authInfoOf(payload);
    } catch (error) {
      const isTheirFault =
        error instanceof errors.JOSEError &&
        !(error instanceof errors.JWKSTimeout) &&
        !(error instanceof errors.JWKSInvalid) &&
        error.code !== 'ERR_JOSE_GENERIC';
      return isTheirFault ? invalid(`The access token is not valid: ${error.code}`) : unreachable();
    }
  }

  async #findKeys(): Promise<JWTVerifyGetKey> {
    const { createRemoteJWKSet, customFetch } = await import('jose');
    const given = this.#options.fetch;
    return createRemoteJWKSet(await this.#keysUrl(), {
      cacheMaxAge: KEYS_KEPT_MS,
      cooldownDuration: KEYS_PAUSE_MS,
      timeoutDuration: FETCH_MS,
      ...(given !== undefined && { [customFetch]: given }),
    });
  }

  /** An issuer with a path has it after the well-known part (RFC 8414), or before it (OpenID Connect). */
  async #keysUrl(): Promise<URL> {
    const { issuer } = this.#options;
    const { origin, pathname } = new URL(issuer);
    const path = pathname.replace(/\/$/, '');
    const places = WELL_KNOWN.flatMap((name) => [
      `${origin}/.well-known/${name}${path}`,
      `${origin}${path}/.well-known/${name}`,
    ]);
    for (const place of new Set(places)) {
      const response = await (this.#options.fetch ?? fetch)(place, {
        signal: AbortSignal.timeout(FETCH_MS),
        redirect: 'error',
      });
      if (!response.ok) continue;
      const metadata: unknown = await response.json();
      if (!isObject(metadata) || metadata['issuer'] !== issuer) continue;
      if (typeof metadata['jwks_uri'] === 'string') return new URL(metadata['jwks_uri']);
    }
    throw new Error(`Cannot find the keys of ${issuer}`);
  }
}

function authInfoOf(payload: JWTPayload): AuthInfo | Refusal {
  const { sub = '', client_id: client, azp, scope, scp, exp } = payload;
  const scopes = [scope, scp].flat().flatMap((each) => (typeof each === 'string' ? each.split(' ') : []));
  const access = accessOf(scopes);
  if (access === undefined) {
    return {
      status: 403,
      error: 'insufficient_scope',
      message: `The access token has none of the scopes ${SCOPES.join(', ')}`,
    };
  }
  const clientId = [client, azp].find((name) => typeof name === 'string') ?? sub;
  return {
    // What is passed on may end up in a log.
    token: clientId,
    clientId,
    scopes,
    ...(exp !== undefined && { expiresAt: exp }),
    // A session belongs to what a token allows, too: one with less does not go on with it.
    extra: { sub, access: JSON.stringify(access) },
  };
}

function invalid(message: string): Refusal {
  return { status: 401, error: 'invalid_token', message };
}

function unreachable(): Refusal {
  return { status: 503, message: 'The keys of the token issuer cannot be fetched; try again later' };
}
