import { silentLogger } from '@rootward/core/platform';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from 'jose';
import { beforeAll, expect, test } from 'vitest';
import { eventually } from '../../../../../testing/eventually.js';
import { FakeClock } from '../../../../../testing/fake-clock.js';
import { AccessTokens } from '../../../src/serve/oauth/access-tokens.js';
import { AUDIENCE, metadata, OAUTH, SECOND, startIssuer, text, type Route } from './fixtures/told-issuer.js';

const OPENID = '/.well-known/openid-configuration';
const MIB = 1024 * 1024;
const MINUTE = 60 * SECOND;

let key: CryptoKey;
let keys: string;
beforeAll(async () => {
  const pair = await generateKeyPair('RS256', { extractable: true });
  key = pair.privateKey;
  keys = JSON.stringify({ keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'RS256' }] });
});

function sign(issuer: string, kid = 'one', claims: Readonly<Record<string, unknown>> = {}): Promise<string> {
  return new SignJWT({ client_id: 'client', scope: 'rootward', ...claims })
    .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid })
    .setIssuer(issuer)
    .setAudience(AUDIENCE)
    .setSubject('someone')
    .setExpirationTime('5m')
    .sign(key);
}

test.each<[string, Route]>([
  ['a page', text('<html>Welcome</html>')],
  ['a redirection', text('', 302, { Location: '/login' })],
  ['metadata of another issuer', text('{"issuer":"https://other.example.com"}')],
  ['an error', text('', 500)],
  ['a broken connection', (response) => response.destroy()],
  ['megabytes', text(' '.repeat(2 * MIB))],
])('keys are found where the first place has %s', async (_what, route) => {
  const { url, tokens } = await startIssuer((own) => ({
    [OAUTH]: route,
    [OPENID]: metadata(own),
    '/keys': text(keys),
  }));
  expect(await tokens.admit(await sign(url))).toMatchObject({ clientId: 'client' });
});

test.each<[string, (url: string) => string]>([
  ['plain HTTP elsewhere', () => 'http://keys.example.com/keys'],
  ['a file', () => 'file:///etc/keys.json'],
  ['no address', () => 'keys'],
  ['an address with a password', (url) => `${url.replace('//', '//user:secret@')}/keys`],
])('keys at %s are not fetched', async (_what, place) => {
  const fetched: string[] = [];
  const url = 'https://login.example.com';
  const tokens = new AccessTokens({
    issuer: url,
    audience: [AUDIENCE],
    log: silentLogger,
    fetch: (target) => {
      const { href } = new URL(target instanceof Request ? target.url : target);
      fetched.push(href);
      const isMetadata = href === url + OAUTH;
      const body = isMetadata ? JSON.stringify({ issuer: url, jwks_uri: place(url) }) : keys;
      return Promise.resolve(new Response(body));
    },
  });
  expect(await tokens.admit(await sign(url))).toMatchObject({ status: 503 });
  expect(fetched.filter((target) => !target.includes('.well-known'))).toEqual([]);
});

test.each<[string, Route]>([
  ['megabytes', (response) => void response.end(keys + ' '.repeat(2 * MIB))],
  ['a redirection', text('', 302, { Location: '/others' })],
  ['a page', text('<html>Welcome</html>')],
  ['no list of keys', text('{"keys":{}}')],
])('keys that are %s are not used', async (_what, route) => {
  const { url, asked, tokens } = await startIssuer((own) => ({
    [OAUTH]: metadata(own),
    '/keys': route,
    '/others': text(keys),
  }));
  expect(await tokens.admit(await sign(url))).toMatchObject({ status: 503 });
  expect(asked).not.toContain('/others');
});

test('an issuer that is down is not asked with every token', async () => {
  const { url, asked, tokens, clock } = await startIssuer(() => ({}));
  for (let round = 0; round < 20; round++) {
    expect(await tokens.admit(await sign(url))).toMatchObject({ status: 503 });
  }
  expect(asked.filter((path) => path === OAUTH)).toHaveLength(1);
  for (let second = 1; second < 5; second++) {
    clock.advance(SECOND);
    expect(await tokens.admit(await sign(url))).toMatchObject({ status: 503 });
  }
  expect(asked.filter((path) => path === OAUTH)).toHaveLength(1);
  clock.advance(SECOND);
  await tokens.admit(await sign(url));
  expect(asked.filter((path) => path === OAUTH)).toHaveLength(2);
});

test('tokens with unknown keys do not make an issuer busy, up or down, and leave known keys alone', async () => {
  let isUp = true;
  const { url, asked, tokens, clock } = await startIssuer((own) => ({
    [OAUTH]: metadata(own),
    '/keys': (response, request) => (isUp ? text(keys) : text('', 500))(response, request),
  }));
  const fetches = (): number => asked.filter((path) => path === '/keys').length;
  const flood = async (status: number): Promise<void> => {
    for (let round = 0; round < 20; round++) {
      expect(await tokens.admit(await sign(url, `key ${round}`))).toMatchObject({ status });
    }
  };
  expect(await tokens.admit(await sign(url))).toMatchObject({ clientId: 'client' });
  await flood(401);
  expect(fetches()).toBe(1);
  isUp = false;
  clock.advance(10 * SECOND);
  await flood(503);
  expect(fetches()).toBe(2);
  expect(await tokens.admit(await sign(url))).toMatchObject({ clientId: 'client' });
});

test('a token that does not name its key is checked with each that may have signed it', async () => {
  const other = await generateKeyPair('RS256', { extractable: true });
  const { keys: known } = JSON.parse(keys) as { readonly keys: readonly object[] };
  const both = [{ ...(await exportJWK(other.publicKey)), kid: 'two', alg: 'RS256' }, ...known];
  const { url, tokens } = await startIssuer((own) => ({
    [OAUTH]: metadata(own),
    '/keys': text(JSON.stringify({ keys: both })),
  }));
  const stranger = await generateKeyPair('RS256');
  for (const [signer, answer] of [
    [key, { clientId: 'client' }],
    [other.privateKey, { clientId: 'client' }],
    [stranger.privateKey, { status: 401 }],
  ] as const) {
    const token = await new SignJWT({ client_id: 'client', scope: 'rootward' })
      .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt' })
      .setIssuer(url)
      .setAudience(AUDIENCE)
      .setSubject('someone')
      .setExpirationTime('5m')
      .sign(signer);
    expect(await tokens.admit(token)).toMatchObject(answer);
  }
});

/** The key of `sign()`, under these names. */
function keysNamed(...names: readonly string[]): string {
  const { keys: known } = JSON.parse(keys) as { readonly keys: readonly object[] };
  return JSON.stringify({ keys: names.map((kid) => ({ ...known[0], kid })) });
}

test.each([
  ['nothing', 404],
  ['keys', 200],
])('keys that moved are found at their new place, where the old one has %s', async (_what, status) => {
  let place = '/keys';
  const { url, tokens, clock } = await startIssuer((own) => ({
    [OAUTH]: metadata(own, { jwks_uri: own + place }),
    '/keys': place === '/keys' ? text(keys) : text(keys, status),
    '/moved': text(keysNamed('two')),
  }));
  expect(await tokens.admit(await sign(url))).toMatchObject({ clientId: 'client' });
  place = '/moved';
  clock.advance(10 * SECOND);
  expect(await tokens.admit(await sign(url, 'two'))).toMatchObject({ clientId: 'client' });
});

test('known keys are used for an hour while the issuer is down, unknown ones get 503', async () => {
  let isUp = true;
  const { url, tokens, clock } = await startIssuer((own) => ({
    [OAUTH]: (response, request) => (isUp ? metadata(own) : text('', 500))(response, request),
    '/keys': text(keys),
  }));
  const known = await sign(url);
  expect(await tokens.admit(known)).toMatchObject({ clientId: 'client' });
  isUp = false;
  for (const minutes of [9, 2, 40, 8]) {
    clock.advance(minutes * MINUTE);
    expect(await tokens.admit(known)).toMatchObject({ clientId: 'client' });
    expect(await tokens.admit(await sign(url, 'other'))).toMatchObject({ status: 503 });
  }
  clock.advance(2 * MINUTE);
  expect(await tokens.admit(known)).toMatchObject({ status: 503 });
  isUp = true;
  await eventually(async () => {
    clock.advance(2 * SECOND);
    expect(await tokens.admit(known)).toMatchObject({ clientId: 'client' });
  });
});

test('an issuer that failed is not waited for with known keys', async () => {
  const url = 'https://login.example.com';
  const clock = new FakeClock();
  let state: 'up' | 'down' | 'silent' = 'up';
  const tokens = new AccessTokens({
    issuer: url,
    audience: [AUDIENCE],
    log: silentLogger,
    clock,
    fetch: (target) => {
      if (state === 'silent') return new Promise(() => {});
      if (state === 'down') return Promise.reject(new TypeError('fetch failed'));
      const isKeys = new Request(target).url === `${url}/keys`;
      return Promise.resolve(
        new Response(isKeys ? keys : JSON.stringify({ issuer: url, jwks_uri: `${url}/keys` })),
      );
    },
  });
  const known = await sign(url);
  expect(await tokens.admit(known)).toMatchObject({ clientId: 'client' });
  state = 'down';
  clock.advance(11 * MINUTE);
  expect(await tokens.admit(known)).toMatchObject({ clientId: 'client' });
  state = 'silent';
  clock.advance(MINUTE);
  expect(await tokens.admit(known)).toMatchObject({ clientId: 'client' });
  tokens.dispose();
});

test('a token that may be as new as its key is not called invalid before the issuer was asked for it', async () => {
  let published = keys;
  const { url, asked, tokens, clock } = await startIssuer((own) => ({
    [OAUTH]: metadata(own),
    '/keys': (response, request) => text(published)(response, request),
  }));
  const now = Math.floor(Date.now() / 1000);
  expect(await tokens.admit(await sign(url))).toMatchObject({ clientId: 'client' });
  published = keysNamed('one', 'two');
  clock.advance(SECOND);
  const fetches = asked.length;
  expect(await tokens.admit(await sign(url, 'two', { iat: now }))).toMatchObject({ status: 503 });
  for (const claims of [{ iat: now - 600 }, { iat: 'now' }, {}]) {
    expect(await tokens.admit(await sign(url, 'two', claims))).toMatchObject({ status: 401 });
  }
  expect(asked).toHaveLength(fetches);
  clock.advance(5 * SECOND);
  expect(await tokens.admit(await sign(url, 'two', { iat: now }))).toMatchObject({ clientId: 'client' });
  clock.advance(5 * SECOND);
  expect(await tokens.admit(await sign(url, 'three', { iat: now }))).toMatchObject({ status: 401 });
});

test('keys are fetched at the start, and again before they are too old, without any request', async () => {
  const { url, asked, tokens, clock } = await startIssuer((own) => ({
    [OAUTH]: metadata(own),
    '/keys': text(keys),
  }));
  const fetches = (): number => asked.filter((path) => path === '/keys').length;
  tokens.prepare();
  for (let round = 1; round <= 3; round++) {
    await eventually(() => expect([fetches(), clock.timers]).toEqual([round, 1]));
    clock.advance(8 * MINUTE);
  }
  await eventually(() => expect([fetches(), clock.timers]).toEqual([4, 1]));
  expect(await tokens.admit(await sign(url))).toMatchObject({ clientId: 'client' });
  expect(fetches()).toBe(4);
});

test('an issuer that is down is asked again in the background, now and then', async () => {
  let isUp = false;
  const { url, asked, tokens, clock } = await startIssuer((own) => ({
    [OAUTH]: (response, request) => (isUp ? metadata(own) : text('', 500))(response, request),
    '/keys': text(keys),
  }));
  const attempts = (): number => asked.filter((path) => path === OAUTH).length;
  tokens.prepare();
  await eventually(() => expect([attempts(), clock.timers]).toEqual([1, 1]));
  clock.advance(29 * SECOND);
  expect([attempts(), clock.timers]).toEqual([1, 1]);
  isUp = true;
  clock.advance(SECOND);
  await eventually(() => expect([attempts(), clock.timers]).toEqual([2, 1]));
  expect(await tokens.admit(await sign(url))).toMatchObject({ clientId: 'client' });
  expect(attempts()).toBe(2);
});

test('why keys cannot be fetched is logged once, and again in the next outage', async () => {
  let routes: Readonly<Record<string, Route>> = {};
  const { url, tokens, clock, warnings } = await startIssuer(() => routes);
  const attempt = async (count: number): Promise<string> => {
    for (let round = 0; round < 3; round++) {
      clock.advance(10 * SECOND);
      await tokens.admit(await sign(url, 'other'));
    }
    expect(warnings).toHaveLength(count);
    const { problem } = warnings.at(-1) as { readonly problem: string };
    return problem;
  };
  const slashed = metadata(url, { issuer: `${url}/` });
  expect(await attempt(1)).toBe(`${url}${OAUTH}: status 404; ${url}${OPENID}: status 404`);
  routes = { [OAUTH]: slashed };
  expect(await attempt(2)).toContain(
    `${url}${OAUTH}: the metadata says issuer "${url}/", --oauth-issuer says "${url}"`,
  );
  routes = { [OAUTH]: metadata(url, { jwks_uri: 'http://keys.example.com/keys' }) };
  expect(await attempt(3)).toContain('jwks_uri "http://keys.example.com/keys", expected an https:// address');
  routes = { [OAUTH]: metadata(url), '/keys': text('', 500) };
  expect(await attempt(4)).toBe(`${url}/keys: status 500`);
  routes = { [OAUTH]: metadata(url), '/keys': text('<html>') };
  expect(await attempt(5)).toBe(`${url}/keys: it is not JSON`);
  routes = { [OAUTH]: metadata(url), '/keys': text('{}') };
  expect(await attempt(6)).toContain('JSON Web Key Set malformed');
  routes = { [OAUTH]: metadata(url), '/keys': text(keys) };
  await attempt(6);
  routes = { [OAUTH]: slashed };
  expect(await attempt(7)).toContain('--oauth-issuer says');
  expect(JSON.stringify(warnings)).not.toContain('eyJ');
});
