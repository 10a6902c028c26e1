import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, LOG_LEVEL_META_KEY, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startHttp, TOKEN, type HttpRootward } from '../server/fixtures/http.js';
import { makeFolders, textOf } from '../server/fixtures/rootward.js';
import { isRunning, makeProject } from './fixtures/tools-project.js';
import { eventually } from '../../testing/eventually.js';

const folders = makeFolders('a', 'b', 'marks');
const mark = (name: string): string => join(folders.path('marks'), name);
const project = makeProject({
  roots: 'mcp_roots_list',
  // Goes on when whoever heard of it says so: what it says must arrive while it runs.
  talks: `mcp_log_warn me careful
mcp_progress 40 waiting
while [ ! -e "$(mcp_args_get .go)" ]; do sleep 0.05; done
echo done`,
  stays: `trap '' TERM
sleep 1000 &
echo "$$ $!" > "$(mcp_args_get .mark).part"
mv "$(mcp_args_get .mark).part" "$(mcp_args_get .mark)"
mcp_progress 1 running
while :; do wait; done`,
});

const NOTE = 'file://./resources/note.txt';
project.write('resources/note.txt', 'first');
project.write('resources/note.meta.json', JSON.stringify({ name: 'note', uri: NOTE }));

/** Of the tool and of what it started. */
async function pids(name: string): Promise<readonly number[]> {
  await eventually(() => expect(existsSync(mark(name))).toBe(true));
  return readFileSync(mark(name), 'utf8').trim().split(' ').map(Number);
}

async function whenGone(processes: readonly number[]): Promise<void> {
  expect(processes).toHaveLength(2);
  await eventually(() => expect(processes.filter((pid) => isRunning(pid))).toEqual([]));
}

const MODES = { legacy: 'legacy', modern: { pin: '2026-07-28' } } as const;
const ERAS = ['legacy', 'modern'] as const;

interface Connected {
  readonly http: HttpRootward;
  readonly client: Client;
  readonly transport: StreamableHTTPClientTransport;
}

/** A server of its own, and a client that calls `onAsked` whenever it is asked for its roots. */
async function connect(
  era: (typeof ERAS)[number],
  onAsked: () => void = () => undefined,
): Promise<Connected> {
  const http = await startHttp(['--project', project.path, '--within', folders.top]);
  const client = new Client(
    { name: 'http', version: '1' },
    { capabilities: { roots: { listChanged: true } }, versionNegotiation: { mode: MODES[era] } },
  );
  client.setRequestHandler('roots/list', () => {
    onAsked();
    return { roots: [{ uri: folders.uri('a') }, { uri: folders.uri('b') }] };
  });
  const transport = new StreamableHTTPClientTransport(new URL(http.url), {
    requestInit: { headers: { Authorization: `Bearer ${TOKEN}` } },
  });
  await client.connect(transport);
  return { http, client, transport };
}

// Calls that are under way get ten seconds: both eras wait at the same time.
test('an executable tool over HTTP, legacy or modern, is gone with what it started when the server is', async () => {
  await Promise.all(
    ERAS.map(async (era) => {
      const { http, client } = await connect(era);
      const name = `ended-${era}`;
      client.callTool({ name: 'stays', arguments: { mark: mark(name) } }).catch(() => undefined);
      const running = await pids(name);
      http.server.process.kill('SIGTERM');
      expect(await http.server.exit).toBe(0);
      await whenGone(running);
      await client.close();
    }),
  );
});

describe.each(ERAS)('an executable tool over HTTP, %s', (era) => {
  let client: Client;
  let transport: StreamableHTTPClientTransport;
  let asked = 0;
  beforeEach(async () => {
    asked = 0;
    ({ client, transport } = await connect(era, () => void asked++));
  });
  afterEach(() => client.close());

  const both = `${folders.path('a')}\n${folders.path('b')}`;

  test('runs with the roots of the client', async () => {
    for (let call = 0; call < 2; call++) {
      expect(textOf(await client.callTool({ name: 'roots', arguments: {} }))).toBe(both);
    }
    // A request that stands alone asks each time; a session where what it knows has become old, as on a busy machine.
    expect(era === 'legacy' ? [1, 2] : [2]).toContain(asked);
  });

  test.runIf(era === 'modern')(
    'tells who listens that a resource, or the list of them, has changed',
    async () => {
      const heard: string[] = [];
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
        heard.push(params.uri);
      });
      client.setNotificationHandler('notifications/resources/list_changed', () => {
        heard.push('list');
      });
      const listening = await client.listen({ resourceSubscriptions: [NOTE], resourcesListChanged: true });
      project.write('resources/note.txt', 'second, longer');
      await eventually(() => expect(heard).toEqual([NOTE]));
      project.write('resources/other.meta.json', JSON.stringify({ name: 'other', uri: 'echo://other' }));
      await eventually(() => expect(heard).toEqual([NOTE, 'list']));
      await listening.close();
    },
  );

  test.runIf(era === 'modern')('runs with the roots of a handle, without asking', async () => {
    const info = await client.callTool({ name: 'workspace_info', arguments: {} });
    const { workspace } = info.structuredContent as { workspace: string };
    const before = asked;
    expect(textOf(await client.callTool({ name: 'roots', arguments: { workspace } }))).toBe(both);
    expect(asked).toBe(before);
    const forged = await client.callTool({ name: 'roots', arguments: { workspace: `${workspace}x` } });
    expect(forged.isError).toBe(true);
  });

  // A legacy client opens its stream when it likes, and what comes before is lost.
  test.runIf(era === 'modern')('is announced to whoever listens when it is added', async () => {
    let announced = 0;
    client.setNotificationHandler('notifications/tools/list_changed', () => void announced++);
    const listening = await client.listen({ toolsListChanged: true });
    project.addTool('added', 'echo added');
    await eventually(() => expect(announced).toBeGreaterThan(0));
    await listening.close();
  });

  test('tells progress and log lines while it runs', async () => {
    const go = mark(`go-${era}`);
    const logged: unknown[] = [];
    client.setNotificationHandler('notifications/message', ({ params }) => void logged.push(params));
    const progress: unknown[] = [];
    const call = client.callTool(
      { name: 'talks', arguments: { go }, _meta: { [LOG_LEVEL_META_KEY]: 'info' } },
      {
        onprogress: (each) => {
          // The client itself tells of the round in which it is asked for roots.
          if (each.message !== 'waiting') return;
          progress.push(each);
          writeFileSync(go, '');
        },
      },
    );
    expect(textOf(await call)).toBe('done\n');
    expect(progress).toEqual([{ progress: 40, total: 100, message: 'waiting' }]);
    expect(logged).toEqual([expect.objectContaining({ level: 'warning', logger: 'me', data: 'careful' })]);
  });

  test('is gone with what it started when its call is cancelled', async () => {
    const controller = new AbortController();
    const name = `cancelled-${era}`;
    const call = client.callTool(
      { name: 'stays', arguments: { mark: mark(name) } },
      { signal: controller.signal },
    );
    const ended = call.then(
      () => 'answered',
      () => 'failed',
    );
    const running = await pids(name);
    controller.abort(new Error('enough'));
    expect(await ended).toBe('failed');
    await whenGone(running);
  });

  test('is gone with what it started when the client is', async () => {
    const name = `left-${era}`;
    const call = client.callTool({ name: 'stays', arguments: { mark: mark(name) } });
    const ended = call.then(
      () => 'answered',
      () => 'failed',
    );
    const running = await pids(name);
    if (era === 'legacy') await transport.terminateSession();
    await client.close();
    expect(await ended).toBe('failed');
    await whenGone(running);
  });
});
