import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createClient } from '@redis/client';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isInstalled, RedisServer, STORE_PROGRAM } from '../../../testing/redis-server.js';
import { send, startHttp, type Answer, type HttpRootward } from '../fixtures/http.js';
import { makeFolders, startRootward } from '../fixtures/rootward.js';
import { eventually } from '../../../testing/eventually.js';

const folders = makeFolders('a');

async function startStore(args: readonly string[] = []) {
  const redis = await RedisServer.start(STORE_PROGRAM, args);
  onTestFinished(() => redis[Symbol.asyncDispose]());
  const socket = { path: join(redis.folder, 'redis.sock'), tls: false } as const;
  const admin = createClient({ socket }).on('error', () => undefined);
  await admin.connect();
  onTestFinished(() => admin.destroy());
  return { url: redis.url.replace('unix://', 'unix://localhost'), admin };
}

function start(ROOTWARD_STORE: string, limits = 'sessions=5'): Promise<HttpRootward> {
  const env = { ROOTWARD_STORE, ROOTWARD_HANDLE_KEY: 'k'.repeat(32) };
  return startHttp([folders.path('a'), '--limits', limits], { env });
}

async function readiness(http: HttpRootward): Promise<readonly [number | undefined, string]> {
  const answer: Answer = await send(http.url.replace('/mcp', '/readyz'), {}, undefined, 'GET');
  return [answer.status, answer.text];
}

/** What it says on stderr. */
async function refusalOfRevoke(ROOTWARD_STORE: string): Promise<string> {
  const command = startRootward(['revoke', '--principal', 'someone'], { env: { ROOTWARD_STORE } });
  await command.exit;
  return command.stderr();
}

type Finding = Readonly<Record<'topic' | 'state' | 'detail' | 'fix', string>>;

/** What it found about the store. */
async function findings(ROOTWARD_STORE: string): Promise<readonly Finding[]> {
  const command = startRootward(['doctor', folders.path('a'), '--json'], { env: { ROOTWARD_STORE } });
  let text = '';
  for await (const chunk of command.input.setEncoding('utf8') as AsyncIterable<string>) text += chunk;
  const found = JSON.parse(text) as { findings: Finding[] };
  return found.findings.filter(({ topic }) => topic === 'store');
}

/** The state of each, and what was said of it. */
async function doctor(url: string): Promise<readonly (readonly [string, string])[]> {
  return (await findings(url)).map(({ state, detail }) => [state, detail] as const);
}

describe.skipIf(!isInstalled(STORE_PROGRAM))(`with ${STORE_PROGRAM}`, () => {
  test('/readyz and the log say which right the user of the store lacks', async () => {
    const { url, admin } = await startStore();
    await admin.aclSetUser('few', ['on', '>sesame', '~*', '&*', '+@all', '-zadd', '-time']);
    const http = await start(url.replace('unix://', 'unix://few:sesame@'));
    const problem = 'its user lacks +time +zadd (NOPERM)';
    expect(await readiness(http)).toEqual([503, `not ready: the session store cannot be used: ${problem}\n`]);
    expect(http.server.stderr()).toContain(problem);
    await admin.aclSetUser('few', ['+@all']);
    await eventually(async () => expect(await readiness(http)).toEqual([200, 'ok\n']));
    await admin.aclSetUser('few', ['-getrange']);
    await eventually(async () => expect((await readiness(http))[1]).toContain('its user lacks +getrange'));
  });

  test('/readyz says that what was revoked cannot be read', async () => {
    const { url, admin } = await startStore();
    await admin.set('rootward:1:revoked', 'garbage');
    const http = await start(url);
    expect(await readiness(http)).toEqual([
      503,
      'not ready: what was revoked cannot be read from the session store\n',
    ]);
    await admin.del('rootward:1:revoked');
    await eventually(async () => expect(await readiness(http)).toEqual([200, 'ok\n']));
  });

  test('/readyz says that nothing can be counted where the memory of the store is full', async () => {
    const { url, admin } = await startStore();
    const [counting, other] = await Promise.all([start(url, 'requests=5'), start(url)]);
    await admin.configSet('maxmemory', '1');
    await eventually(async () =>
      expect(await readiness(counting)).toEqual([
        503,
        'not ready: the session store cannot count requests: its memory is full\n',
      ]),
    );
    expect(await readiness(other)).toEqual([200, 'ok\n']);
    await admin.configSet('maxmemory', '0');
    await eventually(async () => expect(await readiness(counting)).toEqual([200, 'ok\n']));
  });

  test('rootward doctor says whether the store can be used, and what to know of it', async () => {
    const { url, admin } = await startStore(['--maxmemory', '100mb', '--maxmemory-policy', 'volatile-lru']);
    await admin.aclSetUser('few', ['on', '>sesame', '~*', '&*', '+@all', '-zadd']);
    expect(await doctor(url)).toEqual([
      ['fine', `${new URL(url).pathname} can be used`],
      ['note', expect.stringMatching(/\(volatile-lru\); use noeviction$/)],
    ]);
    const lacking = 'the session store cannot be used: its user lacks +zadd (NOPERM)';
    expect(await doctor(url.replace('unix://', 'unix://few:sesame@'))).toEqual([
      ['problem', `${new URL(url).pathname}: ${lacking}`],
    ]);
    expect(await doctor('redis://127.0.0.1:1')).toEqual([
      ['problem', '127.0.0.1:1: the session store cannot be used: it cannot be reached (ECONNREFUSED)'],
    ]);
  });

  test('rootward revoke names the store that cannot be used', async () => {
    expect(await refusalOfRevoke('redis://127.0.0.1:1')).toContain(
      'Cannot use the session store at 127.0.0.1:1: it cannot be reached (ECONNREFUSED)',
    );
  });

  test('rootward doctor says what to do about the store', async () => {
    const { url, admin } = await startStore();
    const [unreachable] = await findings('redis://127.0.0.1:1');
    expect(unreachable?.fix).toMatch(/^Start the store, or correct the address/);
    await admin.aclSetUser('few', ['on', '>sesame', '~*', '&*', '+@all', '-zadd']);
    const [lacking] = await findings(url.replace('unix://', 'unix://few:sesame@'));
    expect(lacking?.fix).toMatch(/^Give its user what it lacks, with ACL SETUSER/);
    const [refused] = await findings(url.replace('unix://', 'unix://few:other@'));
    expect(refused?.detail).toContain('it refuses the password (WRONGPASS)');
    expect(refused?.fix).toMatch(/^Write its user and password into the URL/);
    await using silent = createServer((socket) => void socket.resume()).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const [plain] = await findings(`rediss://127.0.0.1:${(silent.address() as AddressInfo).port}`);
    expect(plain?.detail).toContain('it does not answer');
    expect(plain?.fix).toMatch(/begins with rediss:\/\/ if the store expects TLS/);
  });

  test('the start warns of a store that removes keys when its memory is full', async () => {
    const { url } = await startStore(['--maxmemory', '100mb', '--maxmemory-policy', 'volatile-lru']);
    const http = await start(url);
    expect(http.server.stderr()).toMatch(/\(volatile-lru\).*use noeviction.*may lose keys/);
    await eventually(async () => expect(await readiness(http)).toEqual([200, 'ok\n']));
  });
});
