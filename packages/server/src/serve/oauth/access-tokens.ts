import type { AuthInfo } from '@modelcontextprotocol/server';
import type { errors, JWTPayload, JWTVerifyGetKey, JWTVerifyResult } from 'jose';
import { CLOCK_TOLERANCE_SECONDS } from './clock-tolerance.js';
import { IssuerKeys, type IssuerKeysOptions } from './issuer-keys.js';
import { accessOf, SCOPES } from './scopes.js';

/** What a request gets that is not let in. */
export interface Refusal {
  readonly status: 400 | 401 | 403 | 503;
  /** Never holds the token, or what it says. */
  readonly message: string;
  /** For `WWW-Authenticate`, as RFC 6750 names it. */
  readonly error?: 'invalid_request' | 'invalid_token' | 'insufficient_scope';
}

export interface AccessTokensOptions extends IssuerKeysOptions {
  /** A token must be made for one of them. */
  readonly audience: readonly string[];
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
const MAX_TOKEN_LENGTH = 8 * 1024;
const RSA = /^[RP]S/;
/** Keys of RSA have 2048 bits or more, and a signature is as long as the key. */
const MIN_RSA_BYTES = 256;
/** The other algorithms have signatures of one length. */
const SIGNATURE_BYTES: Readonly<Record<string, number>> = {
  ES256: 64,
  ES384: 96,
  ES512: 132,
  EdDSA: 64,
  Ed25519: 64,
};
/**
 * What the header may call a token (RFC 9068): many issuers still write `JWT`, or nothing. Their ID tokens are for
 * another audience and have no scope; what calls itself something else is something else.
 */
const TYPES: ReadonlySet<string> = new Set(['jwt', 'at+jwt', 'application/at+jwt']);

/** What an operator has to set right. Tokens that have expired, and the like, are everyday. */
const SETTINGS: Readonly<Record<string, string>> = {
  iss: '--oauth-issuer says',
  aud: '--oauth-audience says (or --public-url, where it is not given)',
};
/** Of what a token says, in a log line. */
const MAX_QUOTED = 200;

/** Checks access tokens of an OAuth 2.1 issuer, with the keys that it publishes (RFC 9068). */
export class AccessTokens {
  readonly #options: AccessTokensOptions;
  readonly #keys: IssuerKeys;
  readonly #told = new Set<string>();

  constructor(options: AccessTokensOptions) {
    this.#options = options;
    this.#keys = new IssuerKeys(options);
  }

  get issuer(): string {
    return this.#options.issuer;
  }

  /** Fetches the keys in the background, so that the first request does not wait for them. */
  prepare(): void {
    this.#keys.refresh();
  }

  dispose(): void {
    this.#keys.dispose();
  }

  async admit(token: string): Promise<AuthInfo | Refusal> {
    if (token.length > MAX_TOKEN_LENGTH) return invalid('The access token is too long');
    const jose = await import('jose');
    if (!couldBeSigned(token, jose.decodeProtectedHeader))
      return invalid('The access token is not valid: it is not a signed JWT');
    try {
      const { payload, protectedHeader } = await this.#keys.check(token, (find) => this.#verify(token, find));
      if (!isAccessToken(protectedHeader.typ)) return invalid('The token is not an access token');
      return authInfoOf(payload);
    } catch (error) {
      if (!(error instanceof jose.errors.JOSEError)) return unreachable();
      if (error instanceof jose.errors.JWTClaimValidationFailed) this.#tell(error);
      return invalid(`The access token is not valid: ${faultOf(error, jose.errors)}`);
    }
  }

  async #verify(token: string, find: JWTVerifyGetKey): Promise<JWTVerifyResult> {
    const jose = await import('jose');
    const { issuer, audience } = this.#options;
    const expected = {
      issuer,
      audience: [...audience],
      algorithms: ALGORITHMS,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      requiredClaims: ['exp', 'sub'],
    };
    try {
      return await jose.jwtVerify(token, find, expected);
    } catch (error) {
      if (!(error instanceof jose.errors.JWKSMultipleMatchingKeys)) throw error;
      // The token does not name its key, and the issuer has several, as while they are rotated.
      for await (const key of error) {
        try {
          return await jose.jwtVerify(token, key, expected);
        } catch (problem) {
          const fits =
            problem instanceof jose.errors.JOSEError &&
            !(problem instanceof jose.errors.JWSSignatureVerificationFailed);
          // Any other error is about a key that cannot be used, as one that is too short.
          if (fits) throw problem;
        }
      }
      throw new jose.errors.JWSSignatureVerificationFailed();
    }
  }

  /** The issuer signed it, so its settings and ours do not go together. Once for each. */
  #tell({ claim, payload }: errors.JWTClaimValidationFailed): void {
    const setting = SETTINGS[claim];
    if (setting === undefined || this.#told.has(claim)) return;
    this.#told.add(claim);
    const { issuer, audience, log } = this.#options;
    log.warn(`access tokens refused: their claim "${claim}" is not what ${setting}`, {
      [claim]: JSON.stringify(payload[claim] ?? null).slice(0, MAX_QUOTED),
      expected: claim === 'iss' ? issuer : audience,
    });
  }
}

/**
 * Whether the signature has a form that some key could have made. A token without that is refused at once: no key that
 * the issuer may publish later would fit.
 */
function couldBeSigned(token: string, decode: (token: string) => { readonly alg?: unknown }): boolean {
  const signature = token.split('.')[2] ?? '';
  if (!/^[\w-]+$/.test(signature) || signature.length % 4 === 1) return false;
  const bytes = Math.floor((signature.length * 3) / 4);
  try {
    const { alg } = decode(token);
    if (typeof alg !== 'string') return false;
    return RSA.test(alg) ? bytes >= MIN_RSA_BYTES : bytes === (SIGNATURE_BYTES[alg] ?? bytes);
  } catch {
    return false;
  }
}

/** The header is signed, but may hold anything. */
function isAccessToken(type: unknown): boolean {
  return type === undefined || (typeof type === 'string' && TYPES.has(type.toLowerCase()));
}

/** In words that may stand in a header: no text of the token. */
function faultOf(error: errors.JOSEError, known: typeof errors): string {
  if (error instanceof known.JWTExpired) return 'it has expired (claim exp)';
  if (error instanceof known.JWTClaimValidationFailed) {
    return error.reason === 'missing'
      ? `the claim ${error.claim} is missing`
      : `the claim ${error.claim} is not accepted here`;
  }
  if (error instanceof known.JWKSNoMatchingKey) return 'the issuer does not publish its key';
  if (error instanceof known.JWSSignatureVerificationFailed) return 'its signature does not match';
  if (error instanceof known.JWKInvalid) return 'the key that the issuer publishes for it cannot be used';
  if (error instanceof known.JWSInvalid || error instanceof known.JWTInvalid) return 'it is not a signed JWT';
  if (error instanceof known.JOSEAlgNotAllowed) return 'its algorithm is not accepted here';
  return 'it asks for something that is not supported here';
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
  return {
    status: 503,
    message: 'The key of the access token is not known, and its issuer cannot be asked now; try again later',
  };
}
