import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RootsPort, Sources, WorkspaceSetup } from '@rootward/core';
import { Workspace, pathToFileUri, readSources } from '@rootward/core';
import type { Row, Section } from '../row.js';

const ANSWERS = 2_000;
/** Few enough that all rounds end before the client would be asked again, after 250 ms. */
const CACHED_CALLS = 20_000;
const WORKSPACES = 10_000;

/** How fast a workspace takes an answer, how cheap a cached call is, and what a workspace costs in memory. */
export async function benchWorkspace(): Promise<Section> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-bench-')));
  try {
    const folders = Array.from({ length: 10 }, (_, index) => join(directory, `project-${index}`));
    for (const folder of folders) mkdirSync(folder);
    const sources = await readSources({ environment: {}, home: '/nonexistent' });
    const rows = [
      await measureAnswer(sources, folders),
      await measureCachedReady(sources, folders),
      await measureHeap(sources, folders.slice(0, 3)),
    ];
    return { title: 'Workspace', rows };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** A client whose answers come when told, so that the clock starts at the answer. */
class PromptClient implements RootsPort {
  #answer: ((result: unknown) => void) | undefined;

  ask(): Promise<unknown> {
    return new Promise((resolve) => {
      this.#answer = resolve;
    });
  }

  answer(result: unknown): void {
    this.#answer?.(result);
  }
}

function listOf(folders: readonly string[]): { readonly roots: readonly { readonly uri: string }[] } {
  return { roots: folders.map((folder) => ({ uri: pathToFileUri(folder) })) };
}

function connect(sources: Sources, port: RootsPort, options: Partial<WorkspaceSetup> = {}): Workspace {
  const workspace = new Workspace({ sources, port, limits: { spacing: 0 }, ...options });
  workspace.clientDeclared({ roots: true, listChanged: true });
  workspace.clientReady();
  return workspace;
}

async function measureAnswer(sources: Sources, folders: readonly string[]): Promise<Row> {
  const client = new PromptClient();
  const workspace = connect(sources, client);
  const lists = [listOf(folders), listOf(folders.toReversed())];
  const times: number[] = [];
  for (let turn = 0; turn < ANSWERS; turn += 1) {
    if (turn > 0) workspace.rootsChanged();
    const applied = workspace.ready();
    const start = performance.now();
    client.answer(lists[turn % 2]);
    await applied;
    times.push(performance.now() - start);
  }
  if (workspace.snapshot().epoch !== ANSWERS) throw new Error('an answer was not applied');
  workspace.dispose();
  return {
    what: 'client answered → snapshot applied, 10 roots (others claim 5–10 ms for a first listing)',
    ours: median(times),
    unit: 'ms',
    goal: 1,
  };
}

async function measureCachedReady(sources: Sources, folders: readonly string[]): Promise<Row> {
  const client = new PromptClient();
  const workspace = connect(sources, client);
  const first = workspace.ready();
  client.answer(listOf(folders));
  await first;
  const rounds: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const start = performance.now();
    for (let call = 0; call < CACHED_CALLS; call += 1) void workspace.ready();
    rounds.push(((performance.now() - start) * 1_000) / CACHED_CALLS);
  }
  if (workspace.stats().cache.hits < CACHED_CALLS) throw new Error('ready() was not answered from the cache');
  workspace.dispose();
  return {
    what: 'cached ready() (others claim below 1 ms for a cached check)',
    ours: median(rounds),
    unit: 'µs',
    goal: 1,
  };
}

async function measureHeap(sources: Sources, folders: readonly string[]): Promise<Row> {
  const { gc } = globalThis;
  if (gc === undefined) throw new Error('Cannot measure the heap: run with --expose-gc');
  // Every answer is parsed anew, as it would be off the wire: strings shared between workspaces would flatter us.
  const wire = JSON.stringify(listOf(folders));
  const port: RootsPort = { ask: async (): Promise<unknown> => JSON.parse(wire) };
  const workspaces: Workspace[] = [];
  await open(sources, port, workspaces, 100);
  gc();
  const before = process.memoryUsage().heapUsed;
  await open(sources, port, workspaces, WORKSPACES);
  gc();
  const ours = (process.memoryUsage().heapUsed - before) / WORKSPACES / 1_024;
  if (workspaces.some((workspace) => workspace.snapshot().roots.length !== folders.length)) {
    throw new Error('a workspace has not got its roots');
  }
  for (const workspace of workspaces) workspace.dispose();
  return {
    what: 'heap per workspace, 3 roots, 10,000 workspaces',
    ours,
    unit: 'KB',
    goal: 4,
  };
}

async function open(sources: Sources, port: RootsPort, into: Workspace[], count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const workspace = connect(sources, port);
    into.push(workspace);
    await workspace.ready();
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
