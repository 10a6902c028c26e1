import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { Readable, Writable } from 'node:stream';
import { leaveRows } from './leave.js';
import { OURS, peerName } from '../peer.js';
import type { Row, Section } from '../row.js';
import { warmInstallation } from '../warm.js';

type Running = ChildProcessByStdio<Writable, Readable, null>;

interface Start {
  /** Milliseconds from the start of the process to its first answer. */
  readonly cold: number;
  /** MiB in memory then; not known outside Linux. */
  readonly resident: number | undefined;
  /** MiB in memory once the tools are listed. */
  readonly residentListed: number | undefined;
  /** Milliseconds from the end of stdin to the end of the process. */
  readonly leave: number;
}

const require = createRequire(import.meta.url);
const PEER = join(
  dirname(require.resolve('@modelcontextprotocol/server-filesystem/package.json')),
  'dist',
  'index.js',
);
const ROUNDS = 15;
const HELLO = `${JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
})}\n`;
const LIST =
  '{"jsonrpc":"2.0","method":"notifications/initialized"}\n{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n';
const PAGE_BYTES = 4096;

/** Resolves with the time at which the answer with this id was there. */
function answered(child: Running, id: number): Promise<number> {
  return new Promise((resolve) => {
    let text = '';
    const onData = (chunk: Buffer): void => {
      text += chunk.toString('utf8');
      if (!text.split('\n').some((line) => line.startsWith('{') && line.includes(`"id":${id}`))) return;
      child.stdout.off('data', onData);
      resolve(performance.now());
    };
    child.stdout.on('data', onData);
  });
}

function residentOf(pid: number | undefined): number | undefined {
  try {
    const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
    return (pages * PAGE_BYTES) / 2 ** 20;
  } catch {
    return undefined;
  }
}

async function start(program: string, root: string): Promise<Start> {
  const begun = performance.now();
  const child: Running = spawn(process.execPath, [program, root], { stdio: ['pipe', 'pipe', 'ignore'] });
  const first = answered(child, 1);
  child.stdin.write(HELLO);
  const cold = (await first) - begun;
  const resident = residentOf(child.pid);
  const listed = answered(child, 2);
  child.stdin.write(LIST);
  await listed;
  const residentListed = residentOf(child.pid);
  const exit = once(child, 'exit');
  const ended = performance.now();
  child.stdin.end();
  await exit;
  return { cold, resident, residentListed, leave: performance.now() - ended };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** From nothing to the first answer, what is in memory then, and how long leaving takes. */
export async function benchStart(): Promise<Section> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-bench-start-')));
  try {
    await warmInstallation(root);
    const ours: Start[] = [];
    const peer: Start[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      ours.push(await start(OURS, root));
      peer.push(await start(PEER, root));
    }
    const rows: Row[] = [
      {
        what: 'cold start to the answer of initialize',
        unit: 'ms',
        // The best round, not the middle one: what comes on top of it is other processes, and it is never less.
        ours: Math.min(...ours.map(({ cold }) => cold)),
        peer: Math.min(...peer.map(({ cold }) => cold)),
        goal: 0.45,
      },
    ];
    if (residentOf(process.pid) !== undefined) {
      rows.push(
        {
          what: 'resident memory after start',
          unit: 'MiB',
          ours: median(ours.flatMap(({ resident }) => resident ?? [])),
          peer: median(peer.flatMap(({ resident }) => resident ?? [])),
          goal: 0.9,
        },
        {
          what: 'resident memory after tools/list',
          unit: 'MiB',
          ours: median(ours.flatMap(({ residentListed }) => residentListed ?? [])),
          peer: median(peer.flatMap(({ residentListed }) => residentListed ?? [])),
        },
      );
    }
    rows.push({
      what: 'end of stdin to end of process',
      unit: 'ms',
      ours: median(ours.map(({ leave }) => leave)),
      goal: 1000,
    });
    rows.push(...(await leaveRows(OURS)));
    return { title: 'Starting and leaving', peer: peerName, rows };
  } finally {
    rmSync(root, { recursive: true });
  }
}
