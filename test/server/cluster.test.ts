import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isInstalled, RedisServer } from '../../testing/redis-server.js';
import { OTHER_TOKEN, startHttp, TOKEN, type HttpRootward } from './fixtures/http.js';
import { makeFolders, textOf } from './fixtures/rootward.js';

/** `npm run soak -- cluster` goes through more. */
const CLIENTS = Number(process.env['CLUSTER_CLIENTS'] ?? 8);
const CALLS = Number(process.env['CLUSTER_CALLS'] ?? 80);
const KILLS = Number(process.env['CLUSTER_KILLS'] ?? 2);
const BALANCER = fileURLToPath(new URL('../../examples/cluster/balancer.mjs', import.meta.url));
const INSTANCES = 3;
const AT_ONCE = 32;
const KILL_EVERY_MS = 1000;
const MAX_ATTEMPTS = 60;
const PAUSE_MS = 100;
const RECONNECT = {
  initialReconnectionDelay: 50,
  maxReconnectionDelay: 500,
  reconnectionDelayGrowFactor: 1.5,
  maxRetries: 100,
};
const KINDS = ['v2 legacy', 'modern', 'v1', 'modern'] as const;

const folders = makeFolders('roots');

interface Caller {
  readonly name: string;
  readonly kind: (typeof KINDS)[number];
  readonly session: () => string | undefined;
  /** What its transport reported, latest last. */
  readonly troubles: readonly string[];
  call(tool: string, args: Record<string, unknown>): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

/** Whose request it is, and what to know where it fails. */
interface Request extends Pick<Caller, 'name' | 'kind' | 'troubles'> {
  readonly request: string;
}

function kindOf(index: number): Caller['kind'] {
  return KINDS[index % KINDS.length]!;
}

function at(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(11, -1);
}

/** What an instance wrote after it was ready. */
function complaints({ url, server }: HttpRootward): string {
  const [, ...rest] = server.stderr().split('\n');
  return `instance ${url} said: ${rest.join('\n').trim() || 'nothing'}`;
}

/** An official client with a root of its own, in which a file says whose it is. */
async function connect(url: string, index: number): Promise<Caller> {
  const name = `client-${index}`;
  const folder = join(folders.path('roots'), name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'name.txt'), name);
  const kind = kindOf(index);
  const token = index % 2 === Math.floor(index / KINDS.length) % 2 ? TOKEN : OTHER_TOKEN;
  const options = {
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
    reconnectionOptions: RECONNECT,
  };
  const roots = { roots: [{ uri: pathToFileURL(folder).href }] };
  const capabilities = { roots: {} };
  const info = { name, version: '1.0.0' };
  const troubles: string[] = [];
  const note = (error: Error): void => {
    troubles.push(`${at(Date.now())}: ${error.message}`);
  };
  if (kind === 'v1') {
    const client = new ClientV1(info, { capabilities });
    client.setRequestHandler(ListRootsRequestSchema, () => roots);
    Object.assign(client, { onerror: note });
    const transport = new TransportV1(new URL(url), options);
    await client.connect(transport);
    return {
      name,
      kind,
      troubles,
      session: () => transport.sessionId,
      call: (tool, args) => client.callTool({ name: tool, arguments: args }),
      close: () => client.close(),
    };
  }
  const mode = kind === 'modern' ? { pin: '2026-07-28' } : 'legacy';
  const client = new Client(info, { capabilities, versionNegotiation: { mode } });
  client.setRequestHandler('roots/list', () => roots);
  Object.assign(client, { onerror: note });
  const transport = new StreamableHTTPClientTransport(new URL(url), options);
  await client.connect(transport);
  return {
    name,
    kind,
    troubles,
    session: () => transport.sessionId,
    call: (tool, args) => client.callTool({ name: tool, arguments: args }),
    close: () => client.close(),
  };
}

/** A failure that says that nothing is wrong with the request, and that it may be sent again. */
function isRetryable(error: unknown): boolean {
  const text = error instanceof Error ? inspect(error) : String(error);
  return /\b50[23]\b|Try again|send the request again|fetch failed|terminated|socket|ECONNRE|closed/i.test(
    text,
  );
}

describe.skipIf(!isInstalled('redis-server'))('three instances behind a balancer', () => {
  test(`serve ${CLIENTS} clients and ${CALLS} calls while one after the other is killed`, async () => {
    await using redis = await RedisServer.start();
    const args = [folders.path('roots'), '--store', redis.url, '--log-level', 'warn'];
    const env = { ROOTWARD_HANDLE_KEY: 'k'.repeat(32) };
    const instances = await Promise.all(Array.from({ length: INSTANCES }, () => startHttp(args, { env })));
    const balancer = spawn(process.execPath, [BALANCER, ...instances.map((one) => new URL(one.url).port)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void balancer.kill());
    const [line] = (await once(balancer.stdout, 'data')) as [Buffer];
    const url = String(line).trim();

    const failures = new Map<string, number>();
    const gone: HttpRootward[] = [];
    let retried = 0;
    /** Sends it again where the failure says so, as any client of a service does. */
    const insist = async <Result>(what: Request, act: () => Promise<Result>): Promise<Result> => {
      for (let attempt = 1; ; attempt++) {
        const begun = Date.now();
        try {
          return await act();
        } catch (error) {
          const text = error instanceof Error ? error.message : String(error);
          failures.set(text, (failures.get(text) ?? 0) + 1);
          if (!isRetryable(error) || attempt === MAX_ATTEMPTS) {
            const spent = `attempt ${attempt}, sent at ${at(begun)}, failed at ${at(Date.now())}`;
            throw new Error(
              [
                `${what.kind} ${what.name}, ${what.request}, ${spent}: ${text}`,
                ...what.troubles.map((trouble) => `its transport at ${trouble}`),
                ...[...gone, ...instances].map(complaints),
              ].join('\n'),
              { cause: error },
            );
          }
          retried += 1;
          await new Promise((resolve) => {
            setTimeout(resolve, PAUSE_MS);
          });
        }
      }
    };
    const callers: Caller[] = [];
    for (let from = 0; from < CLIENTS; from += AT_ONCE) {
      const some = Array.from({ length: Math.min(AT_ONCE, CLIENTS - from) }, (_, index) => from + index);
      callers.push(
        ...(await Promise.all(
          some.map((index) =>
            insist({ name: `client-${index}`, kind: kindOf(index), troubles: [], request: 'connect' }, () =>
              connect(url, index),
            ),
          ),
        )),
      );
    }
    const sessions = callers.map((caller) => caller.session());

    const check = async (caller: Caller): Promise<void> => {
      const result = await insist({ ...caller, request: 'read_text_file' }, () =>
        caller.call('read_text_file', { path: 'name.txt' }),
      );
      expect([caller.kind, textOf(result)]).toEqual([caller.kind, caller.name]);
    };
    // A client whose very first answer is lost counts as silent, and gets the operator's roots.
    for (const caller of callers) await check(caller);

    const progress = { calls: 0, kills: 0, isOver: false };
    const killing = (async () => {
      while (!progress.isOver) {
        await new Promise((resolve) => {
          setTimeout(resolve, KILL_EVERY_MS);
        });
        const victim = instances.shift()!;
        const exit = once(victim.server.process, 'exit');
        victim.server.process.kill('SIGKILL');
        progress.kills += 1;
        await exit;
        gone.push(victim);
        instances.push(await startHttp([...args, '--http', new URL(victim.url).port], { env }));
      }
    })();

    const work = async (): Promise<void> => {
      while (progress.calls < CALLS || progress.kills < KILLS) {
        await check(callers[progress.calls++ % callers.length]!);
      }
    };
    try {
      await Promise.all(Array.from({ length: Math.min(AT_ONCE, CLIENTS) }, work));
    } finally {
      progress.isOver = true;
      await killing;
    }
    console.log(
      `${callers.length} clients, ${progress.calls} calls, ${progress.kills} kills, ${retried} retried:`,
      Object.fromEntries(failures),
    );
    // No client had to open another session.
    expect(callers.map((caller) => caller.session())).toEqual(sessions);
    expect(sessions.filter((id) => id !== undefined)).toHaveLength(
      callers.filter(({ kind }) => kind !== 'modern').length,
    );
    await Promise.all(callers.map((caller) => caller.close().catch(() => undefined)));
  });
});
