import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compare } from '../measure.js';
import type { Row, Section } from '../row.js';
import { StdioServer } from '../stdio-server.js';

const PROGRAM = fileURLToPath(new URL('../../../packages/server/dist/rootward.cjs', import.meta.url));
/** Calls take turns one by one, so that each figure is the median call. */
const CALLS = { batches: 300, perBatch: 1 };
const BURSTS = { batches: 41, perBatch: 1 };
const PARALLEL = 50;
/** At least 0.8 times the throughput is at most this many times the time. */
const PARALLEL_GOAL = 1.25;
/** What Linux counts processor time in. */
const TICKS_PER_SECOND = 100;

/** The least a Node program can do to get the output of an executable. */
async function bareSpawn(file: string): Promise<string> {
  const child = spawn(file, [], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.resume();
  await once(child, 'close');
  return output;
}

function processorSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

function atOnce(run: () => Promise<unknown>): () => Promise<unknown> {
  return () => Promise.all(Array.from({ length: PARALLEL }, run));
}

async function measure(folder: string): Promise<readonly Row[]> {
  mkdirSync(join(folder, 'tools', 'hello'), { recursive: true });
  const file = join(folder, 'tools', 'hello', 'tool.sh');
  writeFileSync(file, '#!/bin/sh\necho hello\n');
  chmodSync(file, 0o755);
  writeFileSync(join(folder, 'tools', 'hello', 'tool.meta.json'), '{"name":"hello"}');
  const server = new StdioServer([PROGRAM, '--project', folder, '--toolsets', 'exec']);
  await server.initialize();
  const call = (): Promise<unknown> => server.call('hello', {});
  const bare = (): Promise<unknown> => bareSpawn(file);
  try {
    for (let warm = 0; warm < PARALLEL; warm++) await call();
    const [one = 0, bareOne = 0] = await compare([call, bare], CALLS);
    const [many = 0, bareMany = 0] = await compare([atOnce(call), atOnce(bare)], BURSTS);
    const rows: Row[] = [
      { what: 'call of a trivial executable', unit: 'µs', ours: one, peer: bareOne, goal: 1.2 },
      {
        what: `${PARALLEL} calls at once`,
        unit: 'µs',
        ours: many,
        peer: bareMany,
        goal: PARALLEL_GOAL,
      },
    ];
    if (process.platform === 'linux') {
      const { pid } = server;
      const before = processorSeconds(pid);
      for (let index = 0; index < CALLS.batches; index++) await call();
      const used = ((processorSeconds(pid) - before) * 1e6) / CALLS.batches;
      rows.push({ what: 'processor time of the server per call', unit: 'µs', ours: used });
    }
    return rows;
  } finally {
    await server.close();
  }
}

/** What a call costs on top of starting the executable. */
export async function benchExec(): Promise<Section> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-bench-')));
  try {
    const rows = await measure(folder);
    return { title: 'Executable tools (rootward --project)', peer: 'bare spawn from Node', rows };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
