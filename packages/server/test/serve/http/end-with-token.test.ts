import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { McpServer } from '@modelcontextprotocol/server';
import { silentLogger } from '@rootward/core/platform';
import { SignJWT } from 'jose';
import { expect, onTestFinished, test } from 'vitest';
import { Issuer } from '../../../../../testing/oauth-issuer.js';
import { createHttpServer } from '../../../src/serve/http/http-server.js';
import { AccessTokens } from '../../../src/serve/oauth/access-tokens.js';

const AUDIENCE = 'https://mcp.example.com/mcp';
const REVISION = '2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 't', version: '1' },
};

/** With a tool: without one there would be no changes to listen for. */
function makeServer(): McpServer {
  const server = new McpServer({ name: 'test', version: '1' });
  server.registerTool('nothing', {}, () => ({ content: [] }));
  return server;
}

async function start() {
  const issuer = new Issuer();
  await issuer.start();
  onTestFinished(() => issuer.close());
  const { privateKey } = await issuer.newKey('one');
  const http = createHttpServer(makeServer, {
    host: '127.0.0.1',
    tokens: [],
    accessTokens: new AccessTokens({ issuer: issuer.url, audience: [AUDIENCE], log: silentLogger }),
    log: silentLogger,
  });
  onTestFinished(() => http.close());
  http.server.listen(0, '127.0.0.1');
  await once(http.server, 'listening');
  const url = `http://127.0.0.1:${(http.server.address() as AddressInfo).port}/mcp`;
  const client = async (expiresAt: number) => {
    const token = await new SignJWT({ client_id: `until-${expiresAt}`, scope: 'rootward' })
      .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: 'one' })
      .setIssuer(issuer.url)
      .setAudience(AUDIENCE)
      .setSubject('someone')
      .setExpirationTime(expiresAt)
      .sign(privateKey);
    const ask = (method: string, headers: Record<string, string>, body?: object): Promise<Response> =>
      fetch(url, {
        method,
        headers: {
          'Content-Type': 'application/json',
          Accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
          Authorization: `Bearer ${token}`,
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }) }),
      });
    return {
      initialize: () => ask('POST', {}, { method: 'initialize', params: INITIALIZE }),
      /** The stream of a session, with the token that it was opened with. */
      follow: async () => {
        const opened = await ask('POST', {}, { method: 'initialize', params: INITIALIZE });
        return ask('GET', { 'Mcp-Session-Id': opened.headers.get('mcp-session-id') ?? '' });
      },
      listen: () =>
        ask(
          'POST',
          { 'MCP-Protocol-Version': REVISION, 'Mcp-Method': 'subscriptions/listen' },
          {
            method: 'subscriptions/listen',
            params: { notifications: { toolsListChanged: true }, _meta: META },
          },
        ),
    };
  };
  return { client };
}

/** Resolves when the stream is over, however it ends. */
async function end({ body }: Response): Promise<void> {
  try {
    for await (const chunk of body!) void chunk;
  } catch {
    // Cut off.
  }
}

test('streams of both eras end with the token that opened them, others go on', async () => {
  const { client } = await start();
  const now = Math.floor(Date.now() / 1000);
  // A minute is granted for clocks that differ: 3 s are left.
  const short = await client(now - 57);
  // More milliseconds than a timer takes.
  const long = await client(now + 30 * 24 * 3600);
  const over = [await short.follow(), await short.listen()];
  const kept = [await long.follow(), await long.listen()];
  expect([...over, ...kept].map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  let ended = 0;
  for (const stream of kept) void end(stream).then(() => (ended += 1));

  await Promise.all(over.map(end));
  expect(Date.now() / 1000).toBeGreaterThanOrEqual(now + 3);
  expect((await short.initialize()).status).toBe(401);
  expect(ended).toBe(0);
});
