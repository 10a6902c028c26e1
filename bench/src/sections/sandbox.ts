import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findBackends, openSandbox, protecting, SteeringFinder } from '@rootward/sandbox';
import type { BackendName, Sandbox, StdioEntry } from '@rootward/sandbox';
import { compare } from '../measure.js';
import type { Row, Section } from '../row.js';
import { StdioServer } from '../stdio-server.js';

const repository = fileURLToPath(new URL('../../..', import.meta.url));
const PROGRAM = join(repository, 'packages', 'server', 'dist', 'rootward.cjs');
const STARTS = { batches: 61, perBatch: 1 };
const QUESTIONS = { batches: 151, perBatch: 1 };
const BURSTS = { batches: 9, perBatch: 1 };
const PARALLEL = 50;
/** The most that a start may take over the bare one, in milliseconds, and the most that 50 at once may take of theirs. */
const GOALS: Readonly<Partial<Record<BackendName, readonly [start: number, atOnce: number]>>> = {
  bubblewrap: [20, 2],
  landlock: [5, 1.3],
};
/** A root with this much in it, and the most that a start there may take against one in an empty root. */
const LARGE = { folders: 50_000, repositories: 200, goal: 1.5 };
/** As fast as without, but for what two runs differ by. */
const WARM_GOAL = 1.1;
/** What most tools begin with: the library of the server, an argument, a result. */
const TOOL = `#!/usr/bin/env bash
set -euo pipefail
source "$MCP_SDK/tool-sdk.sh"
name=$(mcp_args_require '.name')
mcp_result_success "$(mcp_json_obj greeting "Hello, $name")"
`;
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

/** Everything between the wish to run a program and its last trace: the look, the plan, the start, the clean-up. */
async function inside(sandbox: Sandbox, finder: SteeringFinder, root: string): Promise<void> {
  const roots = [{ path: root, kind: 'directory', access: 'read-write', broad: false }] as const;
  const fixed = (await finder.find([root])).map(protecting);
  const child = sandbox.child(sandbox.plan({ roots, fixed, program: COMMAND.command }));
  const start = child.command({ ...COMMAND, cwd: root, stdio: ['ignore', 'ignore', 'ignore'] });
  const done = ended(start, start.stdio);
  start.spawned();
  await done;
  await child.dispose();
}

function atOnce(run: () => Promise<unknown>): () => Promise<unknown> {
  return () => Promise.all(Array.from({ length: PARALLEL }, run));
}

/** Repositories with the rest of the folders in them. */
function makeLarge(root: string): void {
  const { folders, repositories } = LARGE;
  for (let made = 0; made < folders; made++) {
    mkdirSync(join(root, `repository-${made % repositories}`, `folder-${made}`), { recursive: true });
  }
  for (let made = 0; made < repositories; made++) {
    const data = join(root, `repository-${made}`, '.git');
    mkdirSync(join(data, 'hooks'), { recursive: true });
    writeFileSync(join(data, 'HEAD'), 'ref: refs/heads/main\n');
  }
}

async function measure(root: string, large: string): Promise<readonly Row[]> {
  using finder = new SteeringFinder(['.git', '.mcp.json', '.vscode/mcp.json']);
  const bare = (): Promise<void> => ended({ ...COMMAND, cwd: root }, ['ignore', 'ignore', 'ignore']);
  const rows: Row[] = [];
  for (const { name, backend } of await findBackends()) {
    if (backend === undefined) continue;
    using sandbox = await openSandbox({ level: 'strict', backend: name });
    if (sandbox === undefined) continue;
    const run = (): Promise<void> => inside(sandbox, finder, root);
    const runLarge = (): Promise<void> => inside(sandbox, finder, large);
    // The first look at everything is not the start of each child.
    await runLarge();
    const [startGoal, burstGoal] = GOALS[name] ?? [];
    const [ours = Number.NaN, alone = Number.NaN] = await compare([run, bare], STARTS);
    const [inLarge = Number.NaN, inSmall = Number.NaN] = await compare([runLarge, run], STARTS);
    const [burst = Number.NaN, bareBurst = Number.NaN] = await compare([atOnce(run), atOnce(bare)], BURSTS);
    const [calls = Number.NaN, bareCalls = Number.NaN] = await compareCalls(root, name);
    const [answer = Number.NaN, bareAnswer = Number.NaN] = await compareAnswers(root, name);
    rows.push(
      {
        what: `one start with ${name}, over the bare spawn`,
        unit: 'ms',
        ours: (ours - alone) / 1000,
        ...(startGoal !== undefined && { goal: startGoal }),
      },
      {
        what: `one start with ${name}, ${LARGE.folders} folders and ${LARGE.repositories} repositories in the root`,
        unit: 'ms',
        ours: inLarge / 1000,
        peer: inSmall / 1000,
        peerName: 'ours, an empty root',
        goal: LARGE.goal,
      },
      {
        what: `${PARALLEL} calls of a shell tool at once with ${name}`,
        unit: 'ms',
        ours: calls / 1000,
        peer: bareCalls / 1000,
        peerName: 'the same server, --sandbox off',
        ...(burstGoal !== undefined && { goal: burstGoal }),
      },
      {
        what: `${PARALLEL} starts at once of a program that does nothing with ${name}`,
        unit: 'ms',
        ours: burst / 1000,
        peer: bareBurst / 1000,
      },
      {
        what: `a warm answer of the TypeScript server in ${name}`,
        unit: 'ms',
        ours: answer / 1000,
        peer: bareAnswer / 1000,
        peerName: 'the same server, --sandbox off',
        goal: WARM_GOAL,
      },
    );
  }
  return rows;
}

/** Two servers that differ in their sandbox alone, asked in turns; both are warm before that. */
async function compareServers(
  args: readonly string[],
  backend: BackendName,
  measured: (server: StdioServer) => readonly [ask: () => Promise<unknown>, turns: typeof BURSTS],
): Promise<readonly number[]> {
  const environment = {
    ...process.env,
    ROOTWARD_PROGRAM_FOLDERS: join(repository, 'node_modules', '.bin'),
  };
  const sandboxes = [
    ['--sandbox', 'strict', '--sandbox-backend', backend],
    ['--sandbox', 'off'],
  ];
  const servers = sandboxes.map((more) => new StdioServer([PROGRAM, ...args, ...more], [], environment));
  try {
    for (const server of servers) await server.initialize();
    const candidates = servers.map(measured);
    return await compare(
      candidates.map(([ask]) => ask),
      candidates[0]?.[1],
    );
  } finally {
    for (const server of servers) await server.close();
  }
}

function compareCalls(root: string, backend: BackendName): Promise<readonly number[]> {
  const project = join(root, 'project');
  const folder = join(project, 'tools', 'hello');
  mkdirSync(folder, { recursive: true });
  const inputSchema = { type: 'object', properties: { name: { type: 'string' } } };
  writeFileSync(join(folder, 'tool.meta.json'), JSON.stringify({ name: 'hello', inputSchema }));
  writeFileSync(join(folder, 'tool.sh'), TOOL, { mode: 0o755 });
  return compareServers(['--project', project, '--toolsets', 'exec'], backend, (server) => [
    atOnce(async () => {
      const { isError, content } = await server.call('hello', { name: 'Ada' });
      if (isError === true) throw new Error(content[0]?.text);
    }),
    BURSTS,
  ]);
}

function compareAnswers(root: string, backend: BackendName): Promise<readonly number[]> {
  const project = join(root, 'typescript');
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, 'tsconfig.json'), '{ "compilerOptions": { "strict": true } }');
  const file = join(project, 'greet.ts');
  writeFileSync(file, 'export function greet(name: string): string {\n  return name;\n}\ngreet("Ada");\n');
  return compareServers([project, '--toolsets', 'code'], backend, (server) => [
    async () => {
      const { isError, content } = await server.call('references', { file, symbol: 'greet' });
      if (isError === true) throw new Error(content[0]?.text);
    },
    QUESTIONS,
  ]);
}

/** What it costs to hold a child to the roots. */
export async function benchSandbox(): Promise<Section> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-bench-')));
  const large = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-bench-large-')));
  try {
    makeLarge(large);
    return { title: 'Sandbox', peer: 'bare spawn', rows: await measure(root, large) };
  } finally {
    for (const folder of [root, large]) rmSync(folder, { recursive: true, force: true });
  }
}
