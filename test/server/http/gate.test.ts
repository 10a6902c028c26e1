import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../../testing/eventually.js';
import { Issuer } from '../../../testing/oauth-issuer.js';
import { authorized, INITIALIZE, MCP_HEADERS, send, startHttp, TOKEN } from '../fixtures/http.js';
import { makeFolders } from '../fixtures/rootward.js';

const folders = makeFolders('a');
const PUBLIC = 'https://mcp.example.com/mcp';

const issuer = new Issuer();
beforeAll(() => issuer.start());
afterAll(() => issuer.close());

test('checks are made in the order that the guide tells, before the body is read', async () => {
  const { url } = await startHttp([folders.path('a')]);
  // Everything is wrong with it at first, and no byte of the announced body is sent.
  const headers: Record<string, string> = {
    ...MCP_HEADERS,
    Host: 'evil.example',
    Origin: 'https://evil.example',
    'Content-Length': String(11 * 1024 * 1024),
  };
  let at = new URL('/elsewhere', url).href;
  let method = 'PUT';
  const repairs: readonly (readonly [status: number, reason: RegExp, repair: () => void])[] = [
    [403, /host: .*has to set --public-url/i, () => (headers['Host'] = 'localhost')],
    [403, /origin/i, () => delete headers['Origin']],
    [404, /./, () => (at = url)],
    [405, /./, () => (method = 'POST')],
    [401, /./, () => (headers['Authorization'] = `Bearer ${TOKEN}`)],
    [413, /./, () => (headers['Content-Length'] = String(INITIALIZE.length))],
  ];
  for (const [status, reason, repair] of repairs) {
    const answer = await send(at, headers, '', method);
    expect([status, answer.status]).toEqual([status, status]);
    expect(answer.text).toMatch(reason);
    repair();
  }
  expect((await send(at, headers, INITIALIZE, method)).status).toBe(200);
});

test('probes are answered under any name, and without a token', async () => {
  const { url } = await startHttp([folders.path('a')]);
  for (const path of ['/healthz', '/readyz']) {
    const answer = await send(new URL(path, url).href, { Host: 'balancer.example' }, undefined, 'GET');
    expect([answer.status, answer.text]).toEqual([200, 'ok\n']);
  }
});

test('--public-url lets in its Host and its Origin', async () => {
  const named = { ...authorized(TOKEN), Host: 'mcp.example.com', Origin: 'https://mcp.example.com' };
  const [plain, behind] = await Promise.all([
    startHttp([folders.path('a')]),
    startHttp([folders.path('a'), '--public-url', PUBLIC]),
  ]);
  expect((await send(plain.url, named, INITIALIZE)).status).toBe(403);
  expect((await send(behind.url, named, INITIALIZE)).status).toBe(200);
  const other = { ...named, Origin: 'https://other.example.com' };
  expect((await send(behind.url, other, INITIALIZE)).status).toBe(403);
});

test('with an issuer no token is made, also on an address that other machines reach', async () => {
  const oauth = ['--oauth-issuer', issuer.url, '--public-url', PUBLIC];
  const { url, banner } = await startHttp([folders.path('a'), '--host', '0.0.0.0', ...oauth], {
    env: { ROOTWARD_TOKEN: '' },
  });
  expect(banner).toContain(`Clients sign in at ${issuer.url}`);
  expect(banner).not.toContain('Bearer');
  const refused = await send(url, MCP_HEADERS, INITIALIZE);
  expect(refused.status).toBe(401);
  expect(refused.headers['www-authenticate']).toContain('/.well-known/oauth-protected-resource/mcp');
});

test.runIf(process.platform !== 'win32')('a token file that others may read is warned about', async () => {
  const file = join(folders.path('a'), 'shared-tokens');
  writeFileSync(file, '#for-the-team\n\na-token-from-a-file\n');
  chmodSync(file, 0o644);
  const { server, url } = await startHttp([folders.path('a'), '--token-file', file]);
  await eventually(() => expect(server.stderr()).toContain(file));
  expect((await send(url, authorized('a-token-from-a-file'), INITIALIZE)).status).toBe(200);
  expect((await send(url, authorized('#for-the-team'), INITIALIZE)).status).toBe(401);
});
