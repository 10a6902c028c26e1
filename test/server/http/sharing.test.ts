import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@redis/client';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { isInstalled, RedisServer, STORE_PROGRAM } from '../../../testing/redis-server.js';
import { makeProject } from '../../exec/fixtures/tools-project.js';
import { authorized, INITIALIZE, OTHER_TOKEN, send, startHttp, TOKEN } from '../fixtures/http.js';
import type { Answer, HttpRootward } from '../fixtures/http.js';
import { makeFolders, startRootward, textOf } from '../fixtures/rootward.js';
import { eventually } from '../../../testing/eventually.js';

const folders = makeFolders('a');
const ROOTWARD_HANDLE_KEY = 'k'.repeat(32);

async function complain(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const server = startRootward(args, { env });
  expect(await server.exit).not.toBe(0);
  return server.stderr();
}

function call(http: HttpRootward, session: string, message: object, token = TOKEN): Promise<Answer> {
  const headers = { ...authorized(token), 'Mcp-Session-Id': session };
  return send(http.url, headers, JSON.stringify({ jsonrpc: '2.0', id: 2, ...message }));
}

async function connect(http: HttpRootward, era: 'legacy' | 'modern'): Promise<Client> {
  const client = new Client(
    { name: 'sharing', version: '1' },
    {
      capabilities: { roots: {} },
      versionNegotiation: { mode: era === 'legacy' ? 'legacy' : { pin: '2026-07-28' } },
    },
  );
  client.setRequestHandler('roots/list', () => ({ roots: [{ uri: folders.uri('a') }] }));
  const requestInit = { headers: { Authorization: `Bearer ${TOKEN}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(http.url), { requestInit }));
  return client;
}

const ping = { method: 'ping' };

function probe(http: HttpRootward, path: string): Promise<Answer> {
  return send(http.url.replace('/mcp', path), { Host: 'balancer.example' }, undefined, 'GET');
}

/** Runs a command to its end. */
async function run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const command = startRootward(args, { env });
  let text = '';
  command.input.setEncoding('utf8');
  for await (const chunk of command.input as AsyncIterable<string>) text += chunk;
  expect([await command.exit, command.stderr()]).toEqual([0, '']);
  return text;
}

describe('what cannot be shared', () => {
  test.each([
    ['--store', 'redis://:sesame@localhost'],
    ['--store', 'http://localhost'],
    ['--limits', 'request=5'],
    ['--limits', 'requests=0'],
    ['--public-url', 'http://example.com/mcp'],
  ])('%s %s is refused, and its password is not repeated', async (flag, value) => {
    const problem = await complain([folders.path('a'), '--http', '0', flag, value]);
    expect(problem).toContain(flag);
    expect(problem).not.toContain('sesame');
  });

  test('a password on the command line is refused with what to do instead', async () => {
    const problem = await complain([
      folders.path('a'),
      '--http',
      '0',
      '--store',
      'redis://:sesame@localhost',
    ]);
    expect(problem).toMatch(
      /list of processes; set ROOTWARD_STORE to the URL, or put it into a file and pass --store @FILE/,
    );
  });

  test('instances without the same tokens and handle key do not start', async () => {
    const args = [folders.path('a'), '--http', '0', '--store', 'redis://localhost'];
    expect(await complain(args)).toMatch(/every instance would make a token of its own/);
    expect(await complain(args, { ROOTWARD_TOKEN: TOKEN })).toMatch(/set ROOTWARD_HANDLE_KEY/);
  });

  test('--limits over stdio is refused', async () => {
    expect(await complain([folders.path('a'), '--limits', 'requests=5'])).toMatch(/it is for --http/);
  });
});

describe.skipIf(!isInstalled(STORE_PROGRAM))(`with ${STORE_PROGRAM}`, () => {
  let redis: RedisServer;
  let first: HttpRootward;
  let second: HttpRootward;
  beforeAll(async () => {
    redis = await RedisServer.start(STORE_PROGRAM, ['--requirepass', 'sesame']);
    const url = redis.url.replace('unix://', 'unix://:sesame@localhost');
    writeFileSync(join(redis.folder, 'url'), `${url}\n`, { mode: 0o600 });
  });
  beforeEach(async () => {
    const args = [folders.path('a'), '--store', `@${join(redis.folder, 'url')}`];
    [first, second] = await Promise.all([
      startHttp(args, { env: { ROOTWARD_HANDLE_KEY } }),
      startHttp(args, { env: { ROOTWARD_HANDLE_KEY } }),
    ]);
  });
  afterAll(() => redis[Symbol.asyncDispose]());

  /** Waits until both instances answer a first request with a status. */
  async function initializedWith(token: string, status: number): Promise<void> {
    await eventually(async () => {
      for (const http of [first, second])
        expect((await send(http.url, authorized(token), INITIALIZE)).status).toBe(status);
    });
  }

  async function openSession(token = TOKEN): Promise<string> {
    const answer = await send(first.url, authorized(token), INITIALIZE);
    expect(answer.status).toBe(200);
    return String(answer.headers['mcp-session-id']);
  }

  const env = (): NodeJS.ProcessEnv => ({
    ROOTWARD_STORE: redis.url.replace('unix://', 'unix://:sesame@localhost'),
  });

  test('a session goes on in the other instance, for its principal alone', async () => {
    const session = await openSession();
    expect((await call(second, session, ping)).status).toBe(200);
    expect((await call(second, session, ping, OTHER_TOKEN)).status).toBe(404);
  });

  test('a session and a request take as much of the store as the guide for several machines says', async () => {
    const store = createClient({
      password: 'sesame',
      socket: { path: join(redis.folder, 'redis.sock'), tls: false },
    });
    await store.connect();
    await store.flushAll();
    writeFileSync(join(folders.path('a'), '1kb.txt'), 'x'.repeat(1000));
    const limited = await startHttp(
      [
        folders.path('a'),
        '--store',
        `@${join(redis.folder, 'url')}`,
        '--limits',
        'requests=100,bytes=10000000,sessions=9',
      ],
      { env: { ROOTWARD_HANDLE_KEY } },
    );
    await run(['revoke', '--session', randomUUID()], env());
    const client = await connect(limited, 'legacy');
    await client.callTool({ name: 'read_text_file', arguments: { path: '1kb.txt' } });
    const bytes: Record<string, number> = {};
    for (const key of await store.keys('*')) {
      const kind = key.split(':')[2] ?? key;
      bytes[kind] = Math.max(bytes[kind] ?? 0, (await store.memoryUsage(key)) ?? 0);
    }
    expect(bytes['session']).toBeLessThanOrEqual(600);
    expect(bytes['events']).toBeLessThanOrEqual(5000);
    expect(bytes['revoked']).toBeLessThanOrEqual(300);
    // The count of requests and the sign of life are gone after seconds.
    for (const kind of ['instance', 'requests', 'bytes'])
      expect([kind, (bytes[kind] ?? 0) <= 150]).toEqual([kind, true]);
    expect(bytes['sessions']).toBeLessThanOrEqual(250);
    await client.close();
    await store.close();
  });

  test('a request takes as many commands of the store as the guide for several machines says', async () => {
    const store = createClient({
      password: 'sesame',
      socket: { path: join(redis.folder, 'redis.sock'), tls: false },
    });
    await store.connect();
    /** Those that an instance does not also send by itself; each request adds one read. */
    const COUNTED = /^cmdstat_(?:multi|exec|xadd|pexpire|incrby|eval|z[a-z]+):calls=(\d+)/gm;
    const total = async (): Promise<number> =>
      [...(await store.info('commandstats')).matchAll(COUNTED)].reduce((sum, [, n]) => sum + Number(n), 0);
    const perRequest = async (limits: readonly string[]): Promise<number> => {
      const args = [folders.path('a'), '--store', `@${join(redis.folder, 'url')}`, ...limits];
      const http = await startHttp(args, { env: { ROOTWARD_HANDLE_KEY } });
      const client = await connect(http, 'legacy');
      const read = () => client.callTool({ name: 'list_allowed_directories', arguments: {} });
      await read();
      const before = await total();
      for (let request = 0; request < 20; request++) await read();
      const sum = (await total()) - before;
      await client.close();
      return Math.round(sum / 20);
    };
    expect(await perRequest([])).toBe(9 - 1);
    expect(await perRequest(['--limits', 'requests=1000'])).toBe(9 - 1 + 4);
    // The script of this one asks for the time, as an instance does.
    expect(await perRequest(['--limits', 'sessions=1000'])).toBe(9 - 1 + 6 - 1);
    expect(await perRequest(['--limits', 'bytes=100000000'])).toBeLessThanOrEqual(9 - 1 + 12);
    await store.close();
  });

  test('rootward revoke ends a session and a principal in every instance', async () => {
    const session = await openSession();
    const other = await openSession(OTHER_TOKEN);
    for (const http of [first, second]) expect((await call(http, session, ping)).status).toBe(200);
    expect(await run(['revoke', '--session', session], env())).toBe('session revoked on every instance\n');
    await eventually(async () => {
      for (const http of [first, second]) expect((await call(http, session, ping)).status).toBe(404);
    });
    const principal = createHash('sha256').update(OTHER_TOKEN).digest('hex').slice(0, 16);
    expect(await run(['revoke', '--principal', principal], env())).toContain(
      `principal ${principal} revoked`,
    );
    await eventually(async () => {
      for (const http of [first, second]) {
        expect((await call(http, other, ping, OTHER_TOKEN)).status).toBe(401);
        expect((await send(http.url, authorized(OTHER_TOKEN), INITIALIZE)).status).toBe(401);
      }
    });
    await run(['revoke', '--principal', principal, '--lift'], env());
    await initializedWith(OTHER_TOKEN, 200);
    // The token itself, which an operator may have at hand instead.
    expect(await run(['revoke', '--principal', OTHER_TOKEN], env())).toContain(principal);
    await initializedWith(OTHER_TOKEN, 401);
    await run(['revoke', '--principal', OTHER_TOKEN, '--lift'], env());
    await initializedWith(OTHER_TOKEN, 200);
  });

  test.each([
    ['--session', '1f6e2c', 'its Mcp-Session-Id'],
    ['--handle', 'eyJyb290cyI6', 'as workspace_info returns it'],
    ['--principal', 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.AAAA', 'give its subject'],
  ])('rootward revoke %s %s is refused: it is not a name of one', async (kind, name, expected) => {
    const server = startRootward(['revoke', kind, name], { env: env() });
    expect(await server.exit).toBe(2);
    expect(server.stderr()).toContain(expected);
  });

  test.each([[[]], [['--session', randomUUID(), '--principal', 'someone']]])(
    'rootward revoke %j is refused: it takes one name',
    async (args) => {
      const server = startRootward(['revoke', ...args], { env: env() });
      expect(await server.exit).toBe(2);
      expect(server.stderr()).toContain('give exactly one of --handle H, --session S and --principal P');
    },
  );

  test('rootward revoke ends a handle in every instance', async () => {
    const clients = await Promise.all([first, second].map((http) => connect(http, 'modern')));
    const { structuredContent } = await clients[0]!.callTool({
      name: 'switch_project',
      arguments: { project: folders.path('a') },
    });
    const { workspace } = structuredContent as { readonly workspace: string };
    const read = (client: Client): Promise<boolean> =>
      client.callTool({ name: 'read_text_file', arguments: { path: 'name.txt', workspace } }).then(
        ({ isError = false }) => !isError,
        () => false,
      );
    expect(await Promise.all(clients.map(read))).toEqual([true, true]);
    expect(await run(['revoke', '--handle', workspace], env())).toBe('handle revoked on every instance\n');
    await eventually(async () => expect(await Promise.all(clients.map(read))).toEqual([false, false]));
    await Promise.all(clients.map((client) => client.close()));
  });

  test('without the store, sessions get 503 and its reason; it comes back without a restart', async () => {
    const session = await openSession();
    const client = await connect(second, 'modern');
    const { structuredContent } = await client.callTool({
      name: 'switch_project',
      arguments: { project: folders.path('a') },
    });
    const readWithHandle = (): ReturnType<Client['callTool']> =>
      client.callTool({
        name: 'read_text_file',
        arguments: {
          path: 'name.txt',
          workspace: (structuredContent as { readonly workspace: string }).workspace,
        },
      });
    expect((await probe(second, '/readyz')).status).toBe(200);
    await redis.stop();
    await eventually(async () => {
      const ready = await probe(second, '/readyz');
      expect([ready.status, ready.text]).toEqual([
        503,
        expect.stringMatching(
          /^not ready: the session store cannot be used: it cannot be reached \(E\w+\)\n$/,
        ),
      ]);
    });
    expect((await probe(second, '/healthz')).text).toBe('ok\n');
    const refused = await call(second, session, ping);
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '5']);
    expect(refused.text).toContain('Cannot use the session store: it cannot be reached');
    expect(refused.text).not.toContain(redis.folder);
    const modern = {
      method: 'tools/list',
      params: {
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    };
    const headers = {
      ...authorized(TOKEN),
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'tools/list',
    };
    const answer = await send(second.url, headers, JSON.stringify({ jsonrpc: '2.0', id: 3, ...modern }));
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('read_text_file')]);
    await expect(readWithHandle()).rejects.toMatchObject({
      message: expect.stringContaining('Cannot tell whether the handle was revoked') as string,
      data: { status: 503 },
    });
    await redis.start();
    for (const http of [first, second]) {
      const isReady = async (): Promise<void> => expect((await probe(http, '/readyz')).status).toBe(200);
      await eventually(isReady);
    }
    expect((await call(second, await openSession(), ping)).status).toBe(200);
    expect(textOf(await readWithHandle())).toBe('a');
    await client.close();
  });

  test('with a store that hangs, sessions and handles get 503, others go on, and the server can stop', async () => {
    const session = await openSession();
    const client = await connect(second, 'modern');
    const { structuredContent } = await client.callTool({
      name: 'switch_project',
      arguments: { project: folders.path('a') },
    });
    const { workspace } = structuredContent as { readonly workspace: string };
    redis.signal('SIGSTOP');
    try {
      await eventually(async () => expect((await probe(second, '/readyz')).status).toBe(503));
      const refused = await call(second, session, ping);
      expect([refused.status, refused.headers['retry-after']]).toEqual([503, '5']);
      expect(refused.text).toContain('Cannot use the session store: no answer');
      const path = { path: join(folders.path('a'), 'name.txt') };
      const read = (args: object): ReturnType<Client['callTool']> =>
        client.callTool({ name: 'read_text_file', arguments: { ...path, ...args } });
      await expect(read({ workspace })).rejects.toMatchObject({ data: { status: 503 } });
      expect(textOf(await read({}))).toBe('a');
      const exit = once(first.server.process, 'exit');
      first.server.process.kill('SIGTERM');
      await exit;
    } finally {
      redis.signal('SIGCONT');
    }
    await eventually(async () => expect((await probe(second, '/readyz')).status).toBe(200));
    expect((await call(second, session, ping)).status).toBe(200);
    await client.close();
  });

  test('an instance that starts without the store lets nobody in until it knows what was revoked', async () => {
    // All of it, as tools print it.
    const principal = createHash('sha256').update(OTHER_TOKEN).digest('hex').toUpperCase();
    await run(['revoke', '--principal', principal], env());
    await eventually(async () =>
      expect((await send(first.url, authorized(OTHER_TOKEN), INITIALIZE)).status).toBe(401),
    );
    await redis.stop();
    const args = [folders.path('a'), '--store', `@${join(redis.folder, 'url')}`];
    const third = await startHttp(args, { env: { ROOTWARD_HANDLE_KEY } });
    const status = async (token: string): Promise<number> =>
      (await send(third.url, authorized(token), INITIALIZE)).status;
    expect([await status(TOKEN), await status(OTHER_TOKEN)]).toEqual([503, 503]);
    // It has forgotten everything, and gets back what the other instances know.
    await redis.start();
    await eventually(async () => expect(await status(OTHER_TOKEN)).toBe(401));
    expect(await status(TOKEN)).toBe(200);
    await run(['revoke', '--principal', principal, '--lift'], env());
    await eventually(async () => expect(await status(OTHER_TOKEN)).toBe(200));
  });

  test('the password is neither in the list of processes nor in the environment of the server', async () => {
    const http = await startHttp([folders.path('a')], { env: { ...env(), ROOTWARD_HANDLE_KEY } });
    const pid = String(http.server.process.pid);
    for (const file of ['cmdline', 'environ']) {
      expect(readFileSync(`/proc/${pid}/${file}`, 'utf8')).not.toContain('sesame');
    }
  });
});

test('SIGTERM lets a call under way finish, and tells balancers to go elsewhere', async () => {
  const project = makeProject({
    slow: '#!/bin/sh\ntouch "$0.started"\nwhile [ ! -e "$0.go" ]; do sleep 0.05; done\necho done\n',
  });
  const http = await startHttp([folders.path('a'), '--project', project.path]);
  const opened = await send(http.url, authorized(TOKEN), INITIALIZE);
  const session = String(opened.headers['mcp-session-id']);
  const answer = call(http, session, { method: 'tools/call', params: { name: 'slow', arguments: {} } });
  const script = join(project.path, 'tools', 'slow', 'tool.sh');
  await eventually(() => expect(existsSync(`${script}.started`)).toBe(true));
  http.server.process.kill('SIGTERM');
  await eventually(async () =>
    expect((await probe(http, '/readyz')).text).toBe('not ready: it is about to stop\n'),
  );
  const exit = once(http.server.process, 'exit');
  writeFileSync(`${script}.go`, '');
  expect((await answer).text).toContain('done');
  await exit;
});
