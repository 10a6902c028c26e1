import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBackends, openSandbox } from '@rootward/sandbox';
import type { BackendName, Sandbox, StdioEntry } from '@rootward/sandbox';
import { compare } from './measure.js';
import type { Row, Section } from './row.js';

const STARTS = { batches: 101, perBatch: 1 };
const BURSTS = { batches: 15, perBatch: 1 };
const PARALLEL = 50;
/** The most that a start may take over the bare one, in milliseconds, and the most that 50 at once may take of theirs. */
const GOALS: Readonly<Partial<Record<BackendName, readonly [start: number, atOnce: number]>>> = {
  bubblewrap: [20, 2],
  landlock: [5, 1.3],
};
const COMMAND = { command: '/bin/true', args: [], env: { PATH: '/usr/bin:/bin' } };

async function ended(
  start: { readonly command: string; readonly args: readonly string[]; readonly cwd: string },
  stdio: readonly StdioEntry[],
): Promise<void> {
  const child = spawn(start.command, start.args, {
    cwd: start.cwd,
    env: COMMAND.env,
    stdio: [...stdio],
  });
  await once(child, 'exit');
}

/** Everything between the wish to run a program and its end: the plan, the private folder, the start, the clean-up. */
async function inside(sandbox: Sandbox, root: string): Promise<void> {
  const roots = [{ path: root, kind: 'directory', access: 'read-write', broad: false }] as const;
  using child = sandbox.child(sandbox.plan({ roots, program: COMMAND.command }));
  const start = child.command({ ...COMMAND, cwd: root, stdio: ['ignore', 'ignore', 'ignore'] });
  const done = ended(start, start.stdio);
  start.spawned();
  await done;
}

function atOnce(run: () => Promise<unknown>): () => Promise<unknown> {
  return () => Promise.all(Array.from({ length: PARALLEL }, run));
}

async function measure(root: string): Promise<readonly Row[]> {
  const bare = (): Promise<void> => ended({ ...COMMAND, cwd: root }, ['ignore', 'ignore', 'ignore']);
  const rows: Row[] = [];
  for (const { name, backend } of await findBackends()) {
    if (backend === undefined) continue;
    using sandbox = await openSandbox({ level: 'strict', backend: name });
    if (sandbox === undefined) continue;
    const run = (): Promise<void> => inside(sandbox, root);
    const [startGoal, burstGoal] = GOALS[name] ?? [];
    const [ours = Number.NaN, alone = Number.NaN] = await compare([run, bare], STARTS);
    const [burst = Number.NaN, bareBurst = Number.NaN] = await compare([atOnce(run), atOnce(bare)], BURSTS);
    rows.push(
      {
        what: `one start with ${name}, over the bare spawn`,
        unit: 'ms',
        ours: (ours - alone) / 1000,
        ...(startGoal !== undefined && { goal: startGoal }),
      },
      {
        what: `${PARALLEL} starts at once with ${name}`,
        unit: 'ms',
        ours: burst / 1000,
        peer: bareBurst / 1000,
        ...(burstGoal !== undefined && { goal: burstGoal }),
      },
    );
  }
  return rows;
}

/** What it costs to hold a child to the roots. */
export async function benchSandbox(): Promise<Section> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-bench-')));
  try {
    return { title: 'Sandbox', peer: 'bare spawn', rows: await measure(root) };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
