import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { answering, inTurn, ScriptedClient, silent } from '@rootward/mcp/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { isRunning } from '../../exec/fixtures/tools-project.js';
import { bareEnvironment, makeFolders, PROGRAM, startRootward } from '../fixtures/rootward.js';
import { eventually } from '../../../testing/eventually.js';

const INHERIT_STDIO = fileURLToPath(new URL('../fixtures/inherit-stdio.mjs', import.meta.url));
/** `npm run soak` goes through more. How long leaving takes is measured in `bench`. */
const ROUNDS = Number(process.env.SOAK_ROUNDS ?? 5);

const folders = makeFolders('haystack');
const haystack = folders.path('haystack');

/** More files than are searched without ripgrep, and one it takes minutes to get through. */
function fillHaystack(): void {
  for (let file = 0; file < 600; file++) writeFileSync(join(haystack, `${file}.txt`), '');
  writeFileSync(join(haystack, 'zz.bin'), '');
  truncateSync(join(haystack, 'zz.bin'), 200 * 2 ** 30);
}

function childrenOf(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

/** A server at work, and the processes that must go with it. */
interface Occupied {
  readonly process: ChildProcess;
  readonly pids: readonly number[];
  /** The exit code, or 0 where only the end of its output can be seen. */
  readonly exit: Promise<number | null>;
}

/** A server with a child at work, a request under way, and a question that is never answered, which holds a timer. */
async function occupy(): Promise<Occupied> {
  const server = startRootward([haystack]);
  const pid = server.process.pid!;
  const client = new ScriptedClient(server, {
    roots: inTurn(answering([{ uri: pathToFileURL(haystack).href }]), silent),
  });
  await client.connect();
  const children = await keepBusy(client, pid);
  return { process: server.process, pids: [pid, ...children], exit: server.exit };
}

/** The same behind a parent that lends it its stdin and stdout; the process is the parent. */
async function occupyBehindParent(): Promise<Occupied> {
  const parent = spawn(process.execPath, [INHERIT_STDIO, PROGRAM, haystack], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: bareEnvironment(),
  });
  const ended = once(parent.stdout, 'close').then(() => undefined);
  const client = new ScriptedClient(
    { input: parent.stdout, output: parent.stdin, ended },
    { roots: inTurn(answering([{ uri: pathToFileURL(haystack).href }]), silent) },
  );
  await client.connect();
  const [pid] = childrenOf(parent.pid!);
  const children = await keepBusy(client, pid!);
  return { process: parent, pids: [pid!, ...children], exit: ended.then(() => 0) };
}

/** Resolves with the children of the server. */
async function keepBusy(client: ScriptedClient, pid: number): Promise<readonly number[]> {
  client.callTool('search_content', { pattern: 'needle' }).catch(() => undefined);
  const children = await eventually(() => {
    const found = childrenOf(pid);
    expect(found).not.toHaveLength(0);
    return found;
  });
  client.notify('notifications/roots/list_changed');
  client.callTool('read_text_file', { path: '1.txt' }).catch(() => undefined);
  await client.whenAsked(2);
  return children;
}

/** Goes through `rounds` servers. One that waits for its request, timer or child waits longer than a test may take. */
async function leaves(
  rounds: number,
  start: () => Promise<Occupied>,
  tell: (process: ChildProcess) => unknown,
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const occupied = await start();
    tell(occupied.process);
    expect(await occupied.exit).toBe(0);
    await eventually(() => expect(occupied.pids.filter((pid) => isRunning(pid))).toEqual([]));
  }
}

// Processes are looked at in /proc.
describe.runIf(process.platform === 'linux')('with a request, a timer and a child pending, rootward', () => {
  beforeAll(fillHaystack);

  test('leaves with its child when stdin closes, time after time', async () => {
    await leaves(ROUNDS, occupy, ({ stdin }) => stdin?.end());
  }, 600_000);

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('leaves with its child on %s', (signal) =>
    leaves(2, occupy, (server) => server.kill(signal)),
  );

  test('leaves with its child when its parent is killed and its stdin stays open', async () => {
    await leaves(2, occupyBehindParent, (parent) => parent.kill('SIGKILL'));
  });

  test('leaves with its child at the first write to a closed stdout', async () => {
    await leaves(2, occupy, ({ stdin, stdout }) => {
      stdout?.destroy();
      stdin?.write('{"jsonrpc":"2.0","id":"last","method":"ping"}\n');
    });
  });

  test('leaves with its child when stdin closes and its reader has stalled', async () => {
    // The refusal repeats it.
    const uri = `workspace://${'x'.repeat(100_000)}`;
    await leaves(2, occupy, ({ stdin, stdout }) => {
      stdout?.pause();
      // More answers than the pipe holds.
      for (let id = 0; id < 10; id++) {
        const request = { jsonrpc: '2.0', id: `read ${id}`, method: 'resources/read', params: { uri } };
        stdin?.write(`${JSON.stringify(request)}\n`);
      }
      stdin?.end();
    });
  });
});
