import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from 'jose';
import { afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { AccessTokens } from '../../../src/serve/oauth/access-tokens.js';

const AUDIENCE = 'https://mcp.example.com/mcp';
const OAUTH = '/.well-known/oauth-authorization-server';
const OPENID = '/.well-known/openid-configuration';
const MIB = 1024 * 1024;

let key: CryptoKey;
let keys: string;
beforeAll(async () => {
  const pair = await generateKeyPair('RS256', { extractable: true });
  key = pair.privateKey;
  keys = JSON.stringify({ keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'RS256' }] });
});
afterEach(() => {
  vi.useRealTimers();
});

function sign(issuer: string, kid = 'one'): Promise<string> {
  return new SignJWT({ client_id: 'client', scope: 'rootward' })
    .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid })
    .setIssuer(issuer)
    .setAudience(AUDIENCE)
    .setSubject('someone')
    .setExpirationTime('5m')
    .sign(key);
}

type Route = (response: ServerResponse, request: IncomingMessage) => void;

/** An issuer that answers as told, and what it was asked for. */
async function startIssuer(routes: (url: string) => Readonly<Record<string, Route>>) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const route = routes(url)[request.url ?? ''];
    if (route === undefined) response.writeHead(404).end();
    else route(response, request);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, asked, tokens: new AccessTokens({ issuer: url, audience: AUDIENCE }) };
}

const text =
  (body: string, status = 200, headers: Readonly<Record<string, string>> = {}): Route =>
  (response) =>
    void response.writeHead(status, headers).end(body);
const metadata = (url: string, more: Readonly<Record<string, unknown>> = {}): Route =>
  text(JSON.stringify({ issuer: url, jwks_uri: `${url}/keys`, ...more }));

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
    audience: AUDIENCE,
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
  const { url, asked, tokens } = await startIssuer(() => ({}));
  for (let round = 0; round < 20; round++) {
    expect(await tokens.admit(await sign(url))).toMatchObject({ status: 503 });
  }
  expect(asked.filter((path) => path === OAUTH)).toHaveLength(1);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10_000 });
  await tokens.admit(await sign(url));
  expect(asked.filter((path) => path === OAUTH)).toHaveLength(2);
});

test('tokens with unknown keys do not make an issuer busy, up or down, and leave known keys alone', async () => {
  let isUp = true;
  const { url, asked, tokens } = await startIssuer((own) => ({
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
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10_000 });
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
