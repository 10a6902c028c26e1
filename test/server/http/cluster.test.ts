import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isInstalled, RedisServer, STORE_PROGRAM } from '../../../testing/redis-server.js';
import { makeProject } from '../../exec/fixtures/tools-project.js';
import { clockTime, makeClient, type ClusterClient } from '../fixtures/cluster-client.js';
import { startHttp, type HttpRootward } from '../fixtures/http.js';
import { makeFolders, textOf } from '../fixtures/rootward.js';

/** `npm run soak -- cluster` goes through more. */
const CLIENTS = Number(process.env['CLUSTER_CLIENTS'] ?? 10);
const CALLS = Number(process.env['CLUSTER_CALLS'] ?? 80);
const KILLS = Number(process.env['CLUSTER_KILLS'] ?? 2);
const KILL_EVERY_MS = Number(process.env['CLUSTER_KILL_EVERY'] ?? 600);
const EXAMPLE = fileURLToPath(new URL('../../../examples/cluster/cluster.mjs', import.meta.url));
const BALANCER = fileURLToPath(new URL('../../../examples/cluster/balancer.mjs', import.meta.url));
const INSTANCES = 3;
const AT_ONCE = 32;
const MAX_ATTEMPTS = 60;
/** The longest pause is what the balancer asks for. */
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 1000;
/** Every so many calls is one of the tool whose stream is cut. */
const CUT_EVERY = 22;
const INFORM_EVERY = 5;
/** A long run says how far it is. */
const REPORT_EVERY = 1000;
const STEPS = [1, 2, 3, 4, 5, 6];

const folders = makeFolders('roots', 'agreed');
const project = makeProject({
  steps: `for step in ${STEPS.join(' ')}; do mcp_progress "$step" going; sleep 0.03; done\necho done`,
});

interface WorkspaceInfo {
  readonly client: string;
  readonly roots: readonly { readonly path: string }[];
  readonly project: { readonly path: string };
}

/**
 * A failure that says that nothing is wrong with the request, and that it may be sent again. So does a time-out during
 * which the client's own transport failed: on an overloaded machine its answer to a question may be what got lost.
 */
function isRetryable(error: unknown, transportFailed: boolean): boolean {
  const text = error instanceof Error ? inspect(error) : String(error);
  if (transportFailed && text.includes('Request timed out')) return true;
  return /\b50[23]\b|Try again|send the request again|fetch failed|terminated|socket|ECONNRE|closed/i.test(
    text,
  );
}

/** What an instance wrote after it was ready. */
function complaints({ url, server }: HttpRootward): string {
  const [, ...rest] = server.stderr().split('\n');
  return `instance ${url} said: ${rest.join('\n').trim() || 'nothing'}`;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}

/** Does it for all, so many at once. */
async function forAll<Item>(items: readonly Item[], act: (item: Item) => Promise<void>): Promise<void> {
  const rest = items.values();
  const work = async (): Promise<void> => {
    for (const item of rest) await act(item);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, work));
}

/** Sends requests again where their failure says so, as any client of a service does. */
class Insistence {
  readonly failures = new Map<string, number>();
  retried = 0;
  readonly #said: () => readonly string[];

  constructor(said: () => readonly string[]) {
    this.#said = said;
  }

  async do<Result>(
    { kind, name, troubles }: ClusterClient,
    request: string,
    act: () => Promise<Result>,
  ): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      const begun = Date.now();
      const { length: before } = troubles;
      try {
        return await act();
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error);
        this.failures.set(text, (this.failures.get(text) ?? 0) + 1);
        if (!isRetryable(error, troubles.length > before) || attempt === MAX_ATTEMPTS) {
          const when = `sent at ${clockTime(begun)}, failed at ${clockTime(Date.now())}`;
          const head = `${kind} ${name}, ${request}, attempt ${attempt}, ${when}: ${text}`;
          const transport = troubles.map((trouble) => `its transport at ${trouble}`);
          throw new Error([head, ...transport, ...this.#said()].join('\n'), { cause: error });
        }
        this.retried += 1;
        await pause(Math.min(FIRST_PAUSE_MS * attempt, MAX_PAUSE_MS));
      }
    }
  }
}

describe.skipIf(!isInstalled(STORE_PROGRAM))('three instances behind a balancer', () => {
  test(`serve ${CLIENTS} clients and ${CALLS} calls while one after the other is killed`, async () => {
    await using redis = await RedisServer.start();
    const places = [folders.path('roots'), '--within', folders.top, '--project', project.path];
    const args = [...places, '--store', redis.url, '--log-level', 'warn'];
    const env = { ROOTWARD_HANDLE_KEY: 'k'.repeat(32) };
    const instances = await Promise.all(Array.from({ length: INSTANCES }, () => startHttp(args, { env })));
    const balancer = spawn(process.execPath, [BALANCER, ...instances.map((one) => new URL(one.url).port)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void balancer.kill());
    const [line] = (await once(balancer.stdout, 'data')) as [Buffer];
    const url = String(line).trim();

    const gone: HttpRootward[] = [];
    const insistence = new Insistence(() => [...gone, ...instances].map(complaints));
    const clients = Array.from({ length: CLIENTS }, (_, index) =>
      makeClient(url, index, folders.top, 'steps'),
    );
    /** Of modern clients, by which they go on in the project that they chose. */
    const handles = new Map<ClusterClient, string>();
    const choose = async (client: ClusterClient): Promise<void> => {
      const chosen = await insistence.do(client, 'switch_project', () =>
        client.call('switch_project', { project: client.agreed }),
      );
      const handle = (chosen['structuredContent'] as Record<string, unknown> | undefined)?.['workspace'];
      expect([client.kind, textOf(chosen), typeof handle]).toEqual([
        client.kind,
        expect.stringContaining(client.agreed),
        client.kind === 'modern' ? 'string' : 'undefined',
      ]);
      handles.set(client, handle as string);
    };
    const ask = async (
      client: ClusterClient,
      tool: string,
      given: Record<string, unknown> = {},
    ): Promise<Readonly<Record<string, unknown>>> => {
      const handle = handles.get(client);
      const all = { ...given, ...(handle !== undefined && { workspace: handle }) };
      const result = await insistence.do(client, tool, () => client.call(tool, all));
      // A handle is good for ten minutes, and a long run takes longer.
      if (handle === undefined || !JSON.stringify(result).includes('it has expired')) return result;
      await choose(client);
      return ask(client, tool, given);
    };
    /** Its root and the folder that the user agreed to can be read. */
    const read = async (client: ClusterClient): Promise<void> => {
      const paths = [client.root, client.agreed].map((folder) => join(folder, 'name.txt'));
      const text = textOf(await ask(client, 'read_multiple_files', { paths }));
      const expected = [client.root, client.agreed].map((path) => `${path}/name.txt:\n${path}\n`);
      expect([client.kind, text.split('\n---\n')]).toEqual([client.kind, expected]);
    };
    const info = async (client: ClusterClient): Promise<WorkspaceInfo> =>
      (await ask(client, 'workspace_info'))['structuredContent'] as WorkspaceInfo;
    /** Its roots are those that it gave and agreed to, and the project is the one that was chosen. */
    const inform = async (client: ClusterClient): Promise<void> => {
      const { roots, project: chosen } = await info(client);
      const paths = roots.map(({ path }) => path).toSorted();
      expect([client.kind, paths, chosen]).toMatchObject([
        client.kind,
        [client.agreed, client.root],
        { path: client.agreed },
      ]);
    };
    /** Its stream breaks off, and is resumed by another instance. */
    const resume = async (client: ClusterClient): Promise<void> => {
      let steps: number[] = [];
      const result = await insistence.do(client, 'steps', () => {
        steps = [];
        return client.call('steps', {}, ({ progress: step }) => void steps.push(step));
      });
      expect([client.kind, steps, textOf(result)]).toEqual([client.kind, STEPS, 'done\n']);
    };

    const introduce = async (client: ClusterClient): Promise<void> => {
      do await insistence.do(client, 'connect', () => client.connect());
      while ((await info(client)).client === 'silent');
      await choose(client);
      await read(client);
      await inform(client);
    };
    // A client whose very first answer is lost or late counts as silent for a while, and gets the operator's roots, and
    // one that does not answer about a folder has declined. So nobody is killed yet, and on a busy machine, where a
    // client may not get through to anybody, some begin again.
    await forAll(clients, async (client) => {
      for (;;) {
        const { length: before } = client.troubles;
        try {
          return await introduce(client);
        } catch (error) {
          if (client.troubles.length === before) throw error;
          handles.delete(client);
        }
      }
    });
    const sessions = clients.map((client) => client.session());
    console.log(`${clients.length} clients are there`);

    const progress = { calls: 0, kills: 0, spared: 0, isOver: false };
    const begun = Date.now();
    const report = (): string => {
      const seconds = ((Date.now() - begun) / 1000).toFixed();
      return `${progress.calls} calls, ${progress.kills} kills (${progress.spared} left out) in ${seconds} s, ${insistence.retried} retried`;
    };
    const replace = async (victim: HttpRootward): Promise<void> => {
      const exit = once(victim.server.process, 'exit');
      victim.server.process.kill('SIGKILL');
      await exit;
      gone.push(victim);
      instances.push(await startHttp([...args, '--http', new URL(victim.url).port], { env }));
    };
    /** On time, whether or not the one before is back; but one is always left. */
    const kill = async (): Promise<void> => {
      const returning: Promise<void>[] = [];
      for (let due = Date.now() + KILL_EVERY_MS; !progress.isOver; due += KILL_EVERY_MS) {
        await pause(due - Date.now());
        if (instances.length === 1) progress.spared += 1;
        else {
          progress.kills += 1;
          returning.push(replace(instances.shift()!));
        }
      }
      await Promise.all(returning);
    };
    const work = async (): Promise<void> => {
      while (progress.calls < CALLS || progress.kills < KILLS) {
        const number = progress.calls++;
        if (progress.calls % REPORT_EVERY === 0) console.log(report());
        const client = clients[number % clients.length]!;
        if (client.kind !== 'modern' && number % CUT_EVERY === 0) await resume(client);
        else await (number % INFORM_EVERY === 0 ? inform : read)(client);
      }
    };
    const killing = kill();
    try {
      await Promise.all(Array.from({ length: Math.min(AT_ONCE, CLIENTS) }, work));
    } finally {
      progress.isOver = true;
      await killing;
    }
    const { length: held } = sessions.filter((id) => id !== undefined);
    console.log(
      `${clients.length} clients, ${held} with a session, ${report()}:`,
      Object.fromEntries(insistence.failures),
    );
    // No client had to open another session.
    expect(clients.map((client) => client.session())).toEqual(sessions);
    expect(held).toBe(clients.filter(({ kind }) => kind !== 'modern').length);
    await Promise.all(clients.map((client) => client.close().catch(() => undefined)));
  });

  test('the example of a cluster shows that nothing is lost', async () => {
    const example = spawn(process.execPath, [EXAMPLE], { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [example.stdout, example.stderr])
      stream.on('data', (text) => (said += String(text)));
    const [code] = (await once(example, 'close')) as [number | null];
    expect([code, said]).toEqual([0, expect.stringContaining('every answer are still there')]);
  });
});
