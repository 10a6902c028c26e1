import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { McpServer } from '@modelcontextprotocol/server';
import { silentLogger } from '@rootward/core/platform';
import { MemoryStore, Revocations } from '@rootward/mcp';
import { CompactSign, exportSPKI, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import type { CryptoKey } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHttpServer, type HttpServer } from '../../../src/serve/http/http-server.js';
import { AccessTokens } from '../../../src/serve/oauth/access-tokens.js';
import { asksForMetadata, challenge } from '../../../src/serve/oauth/resource-metadata.js';
import { eventually } from '../../../../../testing/eventually.js';
import { FakeClock } from '../../../../../testing/fake-clock.js';
import { Issuer } from '../../../../../testing/oauth-issuer.js';

const AUDIENCE = 'https://mcp.example.com/mcp';
const STATIC = 'a-static-token-for-tests';

/** A part of a token. */
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const now = (): number => Math.floor(Date.now() / 1000);

describe('Access tokens of an OAuth issuer', () => {
  const issuer = new Issuer();
  const revocations = new Revocations(new MemoryStore());
  let http: HttpServer;
  let url: string;
  let key: { readonly privateKey: CryptoKey; readonly publicKey: CryptoKey };

  beforeAll(async () => {
    await issuer.start();
    key = await issuer.newKey('one');
    http = createHttpServer(() => new McpServer({ name: 'test', version: '1' }), {
      host: '127.0.0.1',
      tokens: [STATIC],
      log: silentLogger,
      publicUrl: AUDIENCE,
      handler: { revocations },
      accessTokens: new AccessTokens({ issuer: issuer.url, audience: [AUDIENCE], log: silentLogger }),
    });
    http.server.listen(0, '127.0.0.1');
    await once(http.server, 'listening');
    url = `http://127.0.0.1:${(http.server.address() as AddressInfo).port}/mcp`;
  });
  afterAll(async () => {
    await http.close();
    revocations.dispose();
    issuer.close();
  });

  interface Claims {
    readonly iss?: string;
    readonly aud?: string;
    readonly exp?: number;
    readonly nbf?: number;
    readonly sub?: string;
    readonly scope?: string;
  }

  function sign(claims: Claims = {}, options: { key?: CryptoKey; kid?: string } = {}): Promise<string> {
    return new SignJWT({ client_id: 'client', scope: 'rootward', ...claims })
      .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: options.kid ?? 'one' })
      .setIssuer(claims.iss ?? issuer.url)
      .setAudience(claims.aud ?? AUDIENCE)
      .setSubject(claims.sub ?? 'someone')
      .setExpirationTime(claims.exp ?? now() + 300)
      .sign(options.key ?? key.privateKey);
  }

  const complete = (): Record<string, unknown> => ({
    iss: issuer.url,
    aud: AUDIENCE,
    sub: 'someone',
    client_id: 'client',
    scope: 'rootward rootward',
    exp: now() + 300,
  });

  /** Anything at all with a good signature. */
  function signRaw(payload: unknown, header: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
    const { crit = [], ...rest } = header;
    return new CompactSign(new TextEncoder().encode(text))
      .setProtectedHeader({
        alg: 'RS256',
        kid: 'one',
        typ: 'at+jwt',
        ...header,
      })
      .sign(key.privateKey, {
        crit: Object.fromEntries((crit as string[]).map((name) => [name, name in rest])),
      });
  }

  async function initialize(token: string | undefined): Promise<Response> {
    return fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
      }),
    });
  }

  async function refused(token: string | undefined): Promise<readonly [number, string | null]> {
    const response = await initialize(token);
    await response.text();
    return [response.status, response.headers.get('www-authenticate')];
  }

  const METADATA = 'https://mcp.example.com/.well-known/oauth-protected-resource/mcp';
  const INVALID: unknown = expect.stringMatching(
    /^Bearer resource_metadata="[^"]+", error="invalid_token", error_description="[^"]+", scope="rootward"$/,
  );

  test('let in where everything is right, and beside them static tokens', async () => {
    expect((await initialize(await sign())).status).toBe(200);
    expect((await initialize(STATIC)).status).toBe(200);
  });

  test('without one, the client is told where to get one', async () => {
    expect(await refused(undefined)).toEqual([
      401,
      `Bearer resource_metadata="${METADATA}", scope="rootward"`,
    ]);
    for (const path of [
      '/.well-known/oauth-protected-resource',
      '/.well-known/oauth-protected-resource/mcp',
    ]) {
      // A client may be a page of any site.
      const response = await fetch(new URL(path, url), { headers: { Origin: 'https://app.example.com' } });
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(await response.json()).toMatchObject({
        resource: AUDIENCE,
        authorization_servers: [issuer.url],
        bearer_methods_supported: ['header'],
      });
    }
  });

  test('the metadata can be asked for without its body, and before it is asked for by a page', async () => {
    const place = new URL('/.well-known/oauth-protected-resource/mcp', url);
    const [whole, head, before] = await Promise.all(
      ['GET', 'HEAD', 'OPTIONS'].map((method) => fetch(place, { method })),
    );
    const body = await whole!.text();
    expect([head!.status, await head!.text()]).toEqual([200, '']);
    expect(head!.headers.get('content-length')).toBe(String(body.length));
    expect([before!.status, before!.headers.get('access-control-allow-headers')]).toEqual([204, '*']);
    const other = await fetch(url, { method: 'POST', headers: { Origin: 'http://localhost:6274' } });
    expect([other.status, other.headers.get('access-control-allow-origin')]).toEqual([401, null]);
  });

  test.each(['Bearer', 'Bearer a b', '=?', 'bearer '])(
    'the header %j is a malformed request',
    async (given) => {
      const response = await fetch(url, { method: 'POST', headers: { Authorization: given } });
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([
        400,
        expect.stringContaining(`resource_metadata="${METADATA}", error="invalid_request"`),
      ]);
    },
  );

  test('another way to sign in is not a malformed request', async () => {
    const response = await fetch(url, { method: 'POST', headers: { Authorization: 'Basic dTpw' } });
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([
      401,
      `Bearer resource_metadata="${METADATA}", scope="rootward"`,
    ]);
  });

  test.each<[string, () => Promise<string> | string]>([
    ['expired', () => sign({ exp: now() - 120 })],
    ['not yet valid', () => sign({ nbf: now() + 120 })],
    ['for another audience', () => sign({ aud: 'https://other.example.com' })],
    ['of another issuer', () => sign({ iss: 'https://other.example.com' })],
    [
      'signed with an unknown key',
      async () => {
        const other = await generateKeyPair('RS256');
        return sign({}, { key: other.privateKey, kid: 'unknown' });
      },
    ],
    [
      'signed with another key under a known name',
      async () => {
        const other = await generateKeyPair('RS256');
        return sign({}, { key: other.privateKey });
      },
    ],
    [
      'without a signature',
      () =>
        new UnsecuredJWT({ client_id: 'client', scope: 'rootward' })
          .setIssuer(issuer.url)
          .setAudience(AUDIENCE)
          .setSubject('someone')
          .setExpirationTime('5m')
          .encode(),
    ],
    [
      'signed with the public key as a secret',
      async () =>
        new SignJWT({ client_id: 'client', scope: 'rootward' })
          .setProtectedHeader({ alg: 'HS256', kid: 'one' })
          .setIssuer(issuer.url)
          .setAudience(AUDIENCE)
          .setSubject('someone')
          .setExpirationTime('5m')
          .sign(new TextEncoder().encode(await exportSPKI(key.publicKey))),
    ],
    ['too long', () => sign({ sub: 'x'.repeat(8 * 1024) })],
    ['no token at all', () => 'garbage'],
    ['without an end', () => signRaw({ ...complete(), exp: undefined })],
    ['with an end that is not a number', () => signRaw({ ...complete(), exp: 'never' })],
    ['for no audience', () => signRaw({ ...complete(), aud: undefined })],
    ['for no subject', () => signRaw({ ...complete(), sub: undefined })],
    ['for a subject without a name', () => signRaw({ ...complete(), sub: '' })],
    ['for a subject that is not a string', () => signRaw({ ...complete(), sub: 7 })],
    [
      'to be understood in a way that is not known',
      () => signRaw(complete(), { crit: ['b64x'], b64x: true }),
    ],
    ['in another token', async () => signRaw(await signRaw(complete()), { cty: 'JWT' })],
    ['for a logout', () => signRaw(complete(), { typ: 'logout+jwt' })],
    ['called by a number', () => signRaw(complete(), { typ: 7 })],
    ['called nothing in particular', () => signRaw(complete(), { typ: null })],
    ['a proof of possession', () => signRaw(complete(), { typ: 'dpop+jwt' })],
  ])('one that is %s is refused', async (_what, make) => {
    expect(await refused(await make())).toEqual([401, INVALID]);
  });

  test.each<[string, (parts: readonly [string, string, string]) => string]>([
    ['an empty signature', ([head, body]) => `${head}.${body}.`],
    ['no signature part', ([head, body]) => `${head}.${body}`],
    ['a part too many', (parts) => `${parts.join('.')}.x`],
    ['a signature of one character', ([head, body]) => `${head}.${body}.x`],
    ['a short signature', ([head, body, signature]) => `${head}.${body}.${signature.slice(0, 100)}`],
    ['a signature with padding', (parts) => `${parts.join('.')}==`],
    [
      'a signature that is no base64url',
      ([head, body, signature]) => `${head}.${body}.+/${signature.slice(2)}`,
    ],
    ['a signature that is too short for ES256', ([, body]) => `${encode({ alg: 'ES256' })}.${body}.AAAA`],
    [
      'a signature that is too long for EdDSA',
      ([, body, long]) => `${encode({ alg: 'EdDSA' })}.${body}.${long}`,
    ],
    ['no algorithm', ([, body, signature]) => `${encode({})}.${body}.${signature}`],
    ['the algorithm none', ([, body]) => `${encode({ alg: 'none' })}.${body}.`],
    ['a header that is no JSON', ([, body, signature]) => `e30x.${body}.${signature}`],
    ['an empty header', ([, body, signature]) => `.${body}.${signature}`],
    ['an empty body', ([head, , signature]) => `${head}..${signature}`],
    ['nothing but dots', () => '..'],
  ])('a new one with %s is refused at once, and not told to come again', async (_what, change) => {
    // The keys were fetched a moment ago: a token that could be right would be told to come again.
    expect(await refused(await sign())).not.toEqual([401, INVALID]);
    const [head = '', body = '', signature = ''] = (await signRaw({ ...complete(), iat: now() })).split('.');
    expect(await refused(change([head, body, signature]))).toEqual([401, INVALID]);
  });

  test('one that is for several audiences, or called JWT, is let in; an ID token is not', async () => {
    for (const typ of ['application/at+jwt', 'JWT', undefined]) {
      const token = await signRaw({ ...complete(), aud: ['https://other.example.com', AUDIENCE] }, { typ });
      expect((await initialize(token)).status).toBe(200);
    }
    const idToken = { ...complete(), scope: undefined, client_id: undefined, nonce: 'n' };
    expect(await refused(await signRaw({ ...idToken, aud: 'client' }, { typ: 'JWT' }))).toEqual([
      401,
      INVALID,
    ]);
    expect((await refused(await signRaw(idToken, { typ: 'JWT' })))[0]).toBe(403);
  });

  test.each<[string, () => Promise<string>, string]>([
    ['has expired', () => sign({ exp: now() - 120 }), 'it has expired (claim exp)'],
    ['is not valid yet', () => sign({ nbf: now() + 120 }), 'the claim nbf is not accepted here'],
    [
      'is for another audience',
      () => sign({ aud: 'https://b.example' }),
      'the claim aud is not accepted here',
    ],
    ['is of another issuer', () => sign({ iss: 'https://b.example' }), 'the claim iss is not accepted here'],
    ['names no subject', () => signRaw({ ...complete(), sub: undefined }), 'the claim sub is missing'],
    ['is not a JWT', () => Promise.resolve('opaque-token-of-the-issuer'), 'it is not a signed JWT'],
    [
      'is signed with a shared secret',
      () => new SignJWT(complete()).setProtectedHeader({ alg: 'HS256' }).sign(new Uint8Array(32)),
      'its algorithm is not accepted here',
    ],
    [
      'has to be understood in a way that is not known',
      () => signRaw(complete(), { crit: ['b64x'], b64x: true }),
      'it asks for something that is not supported here',
    ],
    ['names an unknown key', () => sign({}, { kid: 'other' }), 'the issuer does not publish its key'],
  ])('one that %s is refused with that, in the answer and in the header', async (_what, make, fault) => {
    const response = await initialize(await make());
    const message = `The access token is not valid: ${fault}`;
    expect(await response.json()).toMatchObject({ error: { message } });
    expect(response.headers.get('www-authenticate')).toContain(`error_description="${message}"`);
  });

  test('one for another audience or issuer is a warning for the operator, once for each', async () => {
    const warnings: unknown[][] = [];
    const log = { ...silentLogger, warn: (...line: unknown[]) => void warnings.push(line) };
    const fresh = new AccessTokens({ issuer: issuer.url, audience: [AUDIENCE], log });
    for (let round = 0; round < 3; round++) {
      expect(await fresh.admit(await sign({ aud: 'https://b.example' }))).toMatchObject({ status: 401 });
      expect(await fresh.admit(await sign({ iss: 'https://c.example' }))).toMatchObject({ status: 401 });
      expect(await fresh.admit(await sign({ exp: now() - 120 }))).toMatchObject({ status: 401 });
      const forged = await generateKeyPair('RS256');
      const stranger = await sign({ aud: 'https://d.example' }, { key: forged.privateKey });
      expect(await fresh.admit(stranger)).toMatchObject({ status: 401 });
    }
    expect(warnings).toEqual([
      [expect.stringContaining('--oauth-audience'), { aud: '"https://b.example"', expected: [AUDIENCE] }],
      [expect.stringContaining('--oauth-issuer'), { iss: '"https://c.example"', expected: issuer.url }],
    ]);
  });

  test('one of a principal that was revoked is refused like the others', async () => {
    const token = await sign({ sub: 'gone' });
    expect((await initialize(token)).status).toBe(200);
    await revocations.revoke('principal', 'gone');
    await eventually(async () => expect(await refused(token)).toEqual([401, INVALID]));
  });

  test('clocks may differ by a minute', async () => {
    expect((await initialize(await sign({ exp: now() - 20, nbf: now() + 20 }))).status).toBe(200);
  });

  test('one without a scope of ours is refused as such', async () => {
    const [status, asked] = await refused(await sign({ scope: 'openid other:read' }));
    expect(status).toBe(403);
    expect(asked).toMatch(/error="insufficient_scope", error_description="[^"]+", scope="rootward"/);
  });

  test('a session does not go on with a token that allows less, or of someone else', async () => {
    const session = (await initialize(await sign())).headers.get('mcp-session-id') ?? '';
    const ping = async (token: string): Promise<number> => {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          authorization: `Bearer ${token}`,
          'mcp-session-id': session,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' }),
      });
      await response.text();
      return response.status;
    };
    expect(await ping(await sign())).toBe(200);
    expect(await ping(await sign({ scope: 'rootward:read' }))).toBe(404);
    expect(await ping(await sign({ sub: 'other' }))).toBe(404);
  });

  test('keys are kept, and fetched anew for one that is not known', async () => {
    const clock = new FakeClock();
    const fresh = new AccessTokens({ issuer: issuer.url, audience: [AUDIENCE], log: silentLogger, clock });
    const before = issuer.keyFetches;
    for (let round = 0; round < 5; round++) {
      expect(await fresh.admit(await sign())).toMatchObject({
        clientId: 'client',
        extra: { sub: 'someone' },
      });
    }
    expect(issuer.keyFetches).toBe(before + 1);
    const rotated = await issuer.newKey('two');
    const token = await sign({}, { key: rotated.privateKey, kid: 'two' });
    clock.advance(10_000);
    expect(await fresh.admit(token)).toMatchObject({ clientId: 'client' });
    expect(issuer.keyFetches).toBe(before + 2);
  });

  test('where the issuer cannot be reached, that is said, and later it works', async () => {
    const clock = new FakeClock();
    const fresh = new AccessTokens({ issuer: issuer.url, audience: [AUDIENCE], log: silentLogger, clock });
    issuer.isUp = false;
    expect(await fresh.admit(await sign())).toMatchObject({ status: 503 });
    issuer.isUp = true;
    clock.advance(5_000);
    expect(await fresh.admit(await sign())).toMatchObject({ clientId: 'client' });
  });
});

test('the metadata is where clients of an address with another path look for it', () => {
  const resource = 'https://example.com/tools/files';
  const place = '/.well-known/oauth-protected-resource/tools/files';
  const needed = { message: 'A bearer token is needed' };
  expect(asksForMetadata('GET', place, resource)).toBe(true);
  expect(challenge(resource, needed)).toContain(`resource_metadata="https://example.com${place}"`);
  expect(asksForMetadata('POST', place, resource)).toBe(false);
  expect(asksForMetadata('GET', '/.well-known/oauth-protected-resource/other', resource)).toBe(false);
  expect(challenge('https://example.com', needed)).toContain('/oauth-protected-resource"');
});

test('a description in a challenge cannot end it', () => {
  const message = 'a "quoted" \\ text\r\nwith ü';
  expect(challenge(undefined, { error: 'invalid_token', message })).toBe(
    `Bearer realm="rootward", error="invalid_token", error_description="a 'quoted' ' text''with '"`,
  );
});
