import { execFileSync } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  authorized,
  INITIALIZE,
  MCP_HEADERS,
  OTHER_TOKEN,
  send,
  startHttp,
  TOKEN,
} from '../fixtures/http.js';
import type { HttpRootward } from '../fixtures/http.js';
import { makeFolders, startRootward } from '../fixtures/rootward.js';

const folders = makeFolders('a', 'b');

describe('rootward over HTTP', () => {
  let http: HttpRootward;
  beforeEach(async () => {
    http = await startHttp([folders.path('a')]);
  });

  async function openSession(token: string): Promise<string> {
    const answer = await send(http.url, authorized(token), INITIALIZE);
    expect(answer.status).toBe(200);
    return String(answer.headers['mcp-session-id']);
  }

  test.each([
    'evil.example',
    'evil.example:80',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '[::1].evil.example',
    'localhost/evil.example',
    'localhost#evil.example',
    'evil.example@localhost',
    'localhost.',
  ])('refuses the foreign Host %j', async (host) => {
    const { status } = await send(http.url, { ...authorized(TOKEN), Host: host }, INITIALIZE);
    expect([400, 403]).toContain(status);
  });

  test.each(['https://evil.example', 'null', 'http://localhost.evil.example', 'file://'])(
    'refuses the foreign Origin %j',
    async (origin) => {
      expect((await send(http.url, { ...authorized(TOKEN), Origin: origin }, INITIALIZE)).status).toBe(403);
    },
  );

  test('lets a page of this machine in', async () => {
    const headers = { ...authorized(TOKEN), Origin: 'http://localhost:6274' };
    expect((await send(http.url, headers, INITIALIZE)).status).toBe(200);
  });

  const invalid = 'error="invalid_token", error_description="The bearer token is not valid"';
  test.each([
    ['no token', MCP_HEADERS, 'Bearer realm="rootward"'],
    ['a wrong token', authorized('a-token-for-tests-9'), `Bearer realm="rootward", ${invalid}`],
    ['the beginning of a token', authorized(TOKEN.slice(0, -1)), `Bearer realm="rootward", ${invalid}`],
    ['a token with more behind it', authorized(`${TOKEN}1`), `Bearer realm="rootward", ${invalid}`],
    ['two tokens in one', authorized(`${TOKEN},${OTHER_TOKEN}`), `Bearer realm="rootward", ${invalid}`],
    ['another scheme', { ...MCP_HEADERS, Authorization: `Basic ${TOKEN}` }, 'Bearer realm="rootward"'],
  ])('refuses %s', async (_what, headers, challenge) => {
    const answer = await send(http.url, headers, INITIALIZE);
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, challenge]);
  });

  test.each(['Bearer', `Bearer ${TOKEN} ${OTHER_TOKEN}`, '"'])(
    'calls the header %j malformed',
    async (header) => {
      const answer = await send(http.url, { ...MCP_HEADERS, Authorization: header }, INITIALIZE);
      expect(answer.status).toBe(400);
      expect(answer.headers['www-authenticate']).toMatch(/^Bearer realm="rootward", error="invalid_request"/);
    },
  );

  test('refuses a body that is too large, announced or not', async () => {
    const body = Buffer.alloc(11 * 1024 * 1024, ' ');
    const announced = await send(
      http.url,
      { ...authorized(TOKEN), 'Content-Length': String(body.length) },
      '',
    );
    expect(announced.status).toBe(413);
    const streamed = await send(http.url, { ...authorized(TOKEN), 'Transfer-Encoding': 'chunked' }, body);
    expect(streamed.status).toBe(413);
    expect((await send(http.url, authorized(TOKEN), INITIALIZE)).status).toBe(200);
  });

  test.each([
    ['a body that is too large', authorized(TOKEN), 413],
    ['a wrong token', authorized('a-token-for-tests-9'), 401],
    ['a foreign page', { ...authorized(TOKEN), Origin: 'https://evil.example' }, 403],
  ])('lets a client that still sends read that %s is refused', async (_what, headers, status) => {
    const body = 'x'.repeat(11 * 1024 * 1024);
    for (let i = 0; i < 5; i++) {
      const response = await fetch(http.url, { method: 'POST', headers, body });
      expect(response.status).toBe(status);
      expect(await response.json()).toMatchObject({ error: { code: -32_000 } });
    }
  });

  test('lets nobody use the session of another principal', async () => {
    const session = await openSession(TOKEN);
    const ping = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' });
    const as = (token: string): Record<string, string> => ({
      ...authorized(token),
      'Mcp-Session-Id': session,
    });
    expect((await send(http.url, as(OTHER_TOKEN), ping)).status).toBe(404);
    expect((await send(http.url, as(OTHER_TOKEN), undefined, 'DELETE')).status).toBe(404);
    expect((await send(http.url, as(TOKEN), ping)).status).toBe(200);
  });

  test('answers nothing but the endpoint', async () => {
    expect((await send(new URL('/', http.url).href, authorized(TOKEN), INITIALIZE)).status).toBe(404);
    expect((await send(new URL('/mcp/x', http.url).href, authorized(TOKEN), INITIALIZE)).status).toBe(404);
  });

  test('goes on after junk', async () => {
    for (const junk of ['', 'junk', '[]', '{}', 'null', '{"jsonrpc":"2.0"}']) {
      expect((await send(http.url, authorized(TOKEN), junk)).status).toBeGreaterThanOrEqual(400);
    }
    await openSession(TOKEN);
  });

  test('leaves on SIGTERM with a stream open', async () => {
    const session = await openSession(TOKEN);
    const stream = fetch(http.url, {
      headers: { ...authorized(TOKEN), Accept: 'text/event-stream', 'Mcp-Session-Id': session },
    });
    expect((await stream).status).toBe(200);
    http.server.process.kill('SIGTERM');
    expect(await http.server.exit).toBe(0);
  });

  test('never writes a token to stderr', async () => {
    const { server, url } = await startHttp([folders.path('a'), '--log-level', 'debug']);
    await send(url, authorized(TOKEN), 'junk');
    await send(url, authorized('a-token-for-tests-9'), INITIALIZE);
    await send(url, authorized(TOKEN), INITIALIZE);
    server.process.kill('SIGTERM');
    await server.exit;
    expect(server.stderr()).not.toContain('a-token-for-tests');
    expect(server.stderr()).toContain('ready on http://127.0.0.1:');
  });
});

test('rootward makes a token where none is given, and shows it once', async () => {
  const { server, url, banner } = await startHttp([folders.path('a')], { env: { ROOTWARD_TOKEN: '' } });
  const token = /Bearer (\S+)"/.exec(banner)?.[1] ?? '';
  expect(token).toHaveLength(43);
  expect(banner.split(token)).toHaveLength(2);
  expect((await send(url, MCP_HEADERS, INITIALIZE)).status).toBe(401);
  expect((await send(url, authorized(token), INITIALIZE)).status).toBe(200);
  expect(server.stderr()).not.toContain(token);
});

test('rootward --insecure-no-token lets anyone of this machine in, and says so', async () => {
  const { url, banner } = await startHttp([folders.path('a'), '--insecure-no-token'], {
    env: { ROOTWARD_TOKEN: '' },
  });
  expect(banner).toContain('no token is asked for');
  expect((await send(url, MCP_HEADERS, INITIALIZE)).status).toBe(200);
  expect((await send(url, { ...MCP_HEADERS, Origin: 'https://evil.example' }, INITIALIZE)).status).toBe(403);
});

test('rootward stops with 2 where the port that was given is taken', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  try {
    const server = startRootward([folders.path('a'), '--http', String(port)]);
    expect(await server.exit).toBe(2);
    expect(server.stderr()).toBe(
      `rootward: Cannot listen on 127.0.0.1:${port}: the port is taken; name another one, or 0 for any that is free\n`,
    );
  } finally {
    taken.close();
  }
});

test('rootward on every address prints one that lets clients in', async () => {
  const { url, banner } = await startHttp([folders.path('a'), '--host', '0.0.0.0']);
  expect(new URL(url).hostname).toBe('127.0.0.1');
  expect(banner).toContain(`"url": "${url}"`);
  expect(banner).toContain('instead of 127.0.0.1');
  expect((await send(url, authorized(TOKEN), INITIALIZE)).status).toBe(200);
});

test.each([
  [['--host', '0.0.0.0'], /other machines can reach needs a token/],
  [['--host', '0.0.0.0', '--insecure-no-token'], /other machines can reach needs a token/],
  [['--host', ''], /Cannot use "" as --host: expected an address/],
  [['--chdir'], /--chdir with --http/],
  [['--insecure-no-token', '--token', TOKEN], /choose one/],
  [['--token', 'short'], /shorter than 16/],
  [['--limits', 'requests=1=2'], /Cannot use "requests=1=2" as --limits: expected a whole number/],
  [
    ['--limits', 'requests=5,requests=9'],
    /Cannot use "requests=5,requests=9" as --limits: give requests once/,
  ],
  [
    ['--oauth-audience', 'a'],
    /Cannot use --oauth-audience alone: name the issuer of the tokens with --oauth-issuer/,
  ],
  [['--public-url', 'https://h.example/mcp?a=1'], /as --public-url: .* without a query or fragment/],
])('rootward --http refuses %j', async (args, problem) => {
  const server = startRootward([folders.path('a'), '--http', '0', ...args]);
  expect(await server.exit).toBe(2);
  expect(server.stderr()).toMatch(problem);
});

test.runIf(process.platform !== 'win32')('rootward --store @FILE does not wait for a pipe', async () => {
  const pipe = join(folders.path('a'), 'pipe');
  execFileSync('mkfifo', [pipe]);
  const server = startRootward([folders.path('a'), '--http', '0', '--store', `@${pipe}`]);
  expect(await server.exit).toBe(2);
  expect(server.stderr()).toContain(`Cannot read the URL of the store from ${pipe}: it is not a file`);
});

test('rootward --http says that the folders of a client stay within those that were named', async () => {
  const { server } = await startHttp([folders.path('a')]);
  server.process.kill('SIGTERM');
  await server.exit;
  expect(server.stderr()).toMatch(
    /^rootward \S+ ready on http:\S+: 1 root from the command line, replaced by the client's within the ceiling where it gives any \(.*\)\n$/,
  );
});

test('rootward --http serves the folder it was started in where none is named, and nothing beyond it', async () => {
  const { banner } = await startHttp(['--verbose'], { cwd: folders.path('b') });
  expect(banner).toContain(`1 root from cwd: ${folders.path('b')}`);
  expect(banner).toMatch(/ceiling +not-needed +cwd names /);
});

test('rootward --http does not start without any folder, since whoever connects could name the whole disk', async () => {
  const server = startRootward(['--http', '0']);
  expect(await server.exit).toBe(2);
  expect(server.stderr()).toContain('no folder was named');
});
