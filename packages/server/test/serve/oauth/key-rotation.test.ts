import { generateKeyPairSync } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from 'jose';
import { expect, test } from 'vitest';
import { AUDIENCE, metadata, OAUTH, SECOND, startIssuer, text } from './fixtures/told-issuer.js';

interface Signer {
  readonly kid: string | undefined;
  readonly privateKey: CryptoKey;
  readonly jwk: object;
}

async function makeSigner(kid: string | undefined): Promise<Signer> {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const name = kid === undefined ? {} : { kid };
  return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), ...name, alg: 'RS256' } };
}

function signWith({ kid, privateKey }: Signer, issuer: string, iat?: number): Promise<string> {
  return new SignJWT({ client_id: 'client', scope: 'rootward', ...(iat !== undefined && { iat }) })
    .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', ...(kid !== undefined && { kid }) })
    .setIssuer(issuer)
    .setAudience(AUDIENCE)
    .setSubject('someone')
    .setExpirationTime('5m')
    .sign(privateKey);
}

test.each<[string, string | undefined, number]>([
  ['reuses their names', 'one', 1],
  ['gives them no names', undefined, 1],
  ['gives them no names and has several', undefined, 2],
])('new keys are found where the issuer %s, and withdrawn ones refused', async (_what, kid, count) => {
  const [old, fresh, stranger] = await Promise.all([makeSigner(kid), makeSigner(kid), makeSigner(kid)]);
  const beside = await Promise.all(Array.from({ length: count - 1 }, () => makeSigner(kid)));
  const published = (signer: Signer): string =>
    JSON.stringify({ keys: [...beside, signer].map(({ jwk }) => jwk) });
  let current = published(old);
  const { url, asked, tokens, clock } = await startIssuer((own) => ({
    [OAUTH]: metadata(own),
    '/keys': (response, request) => text(current)(response, request),
  }));
  const fetches = (): number => asked.filter((path) => path === '/keys').length;
  const now = Math.floor(Date.now() / 1000);
  expect(await tokens.admit(await signWith(old, url))).toMatchObject({ clientId: 'client' });
  current = published(fresh);
  clock.advance(SECOND);
  // As old as the keys that are known, or older: it cannot be told yet, or it can.
  expect(await tokens.admit(await signWith(fresh, url, now))).toMatchObject({ status: 503 });
  expect(await tokens.admit(await signWith(stranger, url, now - 600))).toMatchObject({ status: 401 });
  expect(fetches()).toBe(1);
  clock.advance(5 * SECOND);
  expect(await tokens.admit(await signWith(fresh, url, now))).toMatchObject({ clientId: 'client' });
  expect(fetches()).toBe(2);
  expect(await tokens.admit(await signWith(old, url))).toMatchObject({ status: 401 });
  for (let round = 0; round < 5; round++) {
    expect(await tokens.admit(await signWith(stranger, url))).toMatchObject({ status: 401 });
  }
  expect(fetches()).toBe(2);
  clock.advance(5 * SECOND);
  expect(await tokens.admit(await signWith(stranger, url, now))).toMatchObject({ status: 401 });
  expect(fetches()).toBe(3);
});

test.each<[string, (signer: Signer) => Promise<object> | object]>([
  ['is damaged', ({ jwk }) => ({ ...jwk, n: '!' })],
  ['has a part missing', ({ jwk }) => ({ ...jwk, e: undefined })],
  ['is private', async ({ jwk, privateKey }) => ({ ...(await exportJWK(privateKey)), ...jwk })],
  [
    'is too short',
    ({ jwk }) => {
      const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
      return { ...jwk, ...publicKey.export({ format: 'jwk' }) };
    },
  ],
])('a published key that %s is refused, and the others work', async (_what, spoil) => {
  for (const kids of [
    ['bad', 'good'],
    [undefined, undefined],
  ]) {
    const [bad, good] = await Promise.all([makeSigner(kids[0]), makeSigner(kids[1])]);
    const set = JSON.stringify({ keys: [await spoil(bad), good.jwk] });
    const { url, tokens } = await startIssuer((own) => ({ [OAUTH]: metadata(own), '/keys': text(set) }));
    expect(await tokens.admit(await signWith(bad, url))).toMatchObject({ status: 401 });
    expect(await tokens.admit(await signWith(good, url))).toMatchObject({ clientId: 'client' });
  }
});
