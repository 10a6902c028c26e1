import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, realpathSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { answering, inTurn, ScriptedClient, silent } from '@rootward/mcp/testing';
import type { Row } from '../row.js';

const ROUNDS = 10;
/** More than the server searches without ripgrep, so that a child is at work. */
const FILES = 600;
/** A file ripgrep takes minutes to get through. */
const ENDLESS_BYTES = 200 * 2 ** 30;
const MAX_LEAVE_MS = 1000;

function childrenOf(pid: number): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}

function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    return false;
  }
}

/** Milliseconds from the end of stdin until a server with a child, a request and a question pending is gone with it. */
async function leaveBusy(program: string, root: string): Promise<number> {
  const child = spawn(process.execPath, [program, root], { stdio: ['pipe', 'pipe', 'ignore'] });
  const exit = once(child, 'exit').then(() => undefined);
  const client = new ScriptedClient(
    { input: child.stdout, output: child.stdin, ended: exit },
    { roots: inTurn(answering([{ uri: pathToFileURL(root).href }]), silent) },
  );
  await client.connect();
  client.callTool('search_content', { pattern: 'needle' }).catch(() => undefined);
  const { pid } = child;
  if (pid === undefined) throw new Error('Cannot measure leaving: the server did not start');
  while (childrenOf(pid).length === 0) await delay(5);
  client.notify('notifications/roots/list_changed');
  client.callTool('read_text_file', { path: '1.txt' }).catch(() => undefined);
  await client.whenAsked(2);
  const children = childrenOf(pid);
  const begun = performance.now();
  child.stdin.end();
  await exit;
  while (children.some((one) => isRunning(one))) await delay(1);
  return performance.now() - begun;
}

/** Leaving with everything pending. Processes are looked at in /proc, so there are no rows elsewhere. */
export async function leaveRows(program: string): Promise<readonly Row[]> {
  if (process.platform !== 'linux') return [];
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-bench-leave-')));
  try {
    for (let file = 0; file < FILES; file++) writeFileSync(join(root, `${file}.txt`), '');
    writeFileSync(join(root, 'zz.bin'), '');
    truncateSync(join(root, 'zz.bin'), ENDLESS_BYTES);
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) times.push(await leaveBusy(program, root));
    return [
      {
        what: 'end of stdin to end of process and child, with a request, a question and a search pending: the slowest',
        unit: 'ms',
        ours: Math.max(...times),
        goal: MAX_LEAVE_MS,
      },
    ];
  } finally {
    rmSync(root, { recursive: true });
  }
}
