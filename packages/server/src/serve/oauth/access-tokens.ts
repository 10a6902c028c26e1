import type { AuthInfo } from '@modelcontextprotocol/server';
import type { JWTPayload, JWTVerifyGetKey, JWTVerifyResult } from 'jose';
import { IssuerKeys } from './issuer-keys.js';
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
/** Clocks differ. A token counts that much longer, and that much earlier. */
export const CLOCK_TOLERANCE_SECONDS = 60;
const MAX_TOKEN_LENGTH = 8 * 1024;
/**
 * What the header may call a token (RFC 9068): many issuers still write `JWT`, or nothing. Their ID tokens are for
 * another audience and have no scope; what calls itself something else is something else.
 */
const TYPES: ReadonlySet<unknown> = new Set([undefined, 'jwt', 'at+jwt', 'application/at+jwt']);

/** Checks access tokens of an OAuth 2.1 issuer, with the keys that it publishes (RFC 9068). */
export class AccessTokens {
  readonly #options: AccessTokensOptions;
  readonly #keys: IssuerKeys;

  constructor(options: AccessTokensOptions) {
    this.#options = options;
    this.#keys = new IssuerKeys(options.issuer, options.fetch);
  }

  get issuer(): string {
    return this.#options.issuer;
  }

  async admit(token: string): Promise<AuthInfo | Refusal> {
    if (token.length > MAX_TOKEN_LENGTH) return invalid('The access token is too long');
    const { errors } = await import('jose');
    let keys: JWTVerifyGetKey;
    try {
      keys = await this.#keys.find();
    } catch {
      return unreachable();
    }
    try {
      const { payload, protectedHeader } = await this.#verify(token, keys);
      if (!TYPES.has(protectedHeader.typ?.toLowerCase())) return invalid('The token is not an access token');
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

  async #verify(token: string, keys: JWTVerifyGetKey): Promise<JWTVerifyResult> {
    const { jwtVerify, errors } = await import('jose');
    const { issuer, audience } = this.#options;
    const expected = {
      issuer,
      audience,
      algorithms: ALGORITHMS,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      requiredClaims: ['exp', 'sub'],
    };
    try {
      return await jwtVerify(token, keys, expected);
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
      // The token does not name its key, and the issuer has several, as while they are rotated.
      for await (const key of error) {
        try {
          return await jwtVerify(token, key, expected);
        } catch (problem) {
          if (!(problem instanceof errors.JWSSignatureVerificationFailed)) throw problem;
        }
      }
      throw new errors.JWSSignatureVerificationFailed();
    }
  }
}

function authInfoOf(payload: JWTPayload): AuthInfo | Refusal {
  const { client_id: client, azp, scope, scp, exp } = payload;
  const sub: unknown = payload.sub;
  // Principals are told apart by it.
  if (typeof sub !== 'string' || sub === '') return invalid('The access token names no subject');
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
