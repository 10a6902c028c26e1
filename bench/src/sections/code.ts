import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { diffRoots, pathToFileUri, readPathRoots, Scope, type Root, type RootsDiff } from '@rootward/core';
import { definition, findSymbol, knownServers, LanguageServers, outline, references } from '@rootward/lsp';
import type { FolderKind, OutlineSymbol, ServerDefinition } from '@rootward/lsp';
import { median } from '../measure.js';
import type { Row, Section } from '../row.js';
import { StdioServer } from '../stdio-server.js';

const repository = fileURLToPath(new URL('../../..', import.meta.url));
const environment: NodeJS.ProcessEnv = {
  ...process.env,
  ROOTWARD_PROGRAM_FOLDERS: join(repository, 'node_modules', '.bin'),
};
const PEER = ['typescript-language-server@5.3.0', 'typescript@5.9.3'];
const BUNDLE = join(repository, 'packages', 'server', 'dist', 'rootward.cjs');
const ROUNDS = 3;
const WARM_ROUNDS = 50;
const C_FUNCTIONS = 200;
/** More levels than any file has. */
const ALL_LEVELS = 99;
const PYTHON_FILES = 150;
const LIMITS = { settleTimeout: 120_000, requestTimeout: 120_000, initializeTimeout: 120_000 };

function server(name: string, changes: Partial<ServerDefinition> = {}): ServerDefinition {
  const known = knownServers.find((entry) => entry.name === name);
  if (known === undefined) throw new Error(`No server named ${name}`);
  return { ...known, ...changes };
}

/** Fetched for the run: installed with the project, its `tsc` would get in the way of the one we build with. */
function fetchPeer(home: string): ServerDefinition {
  const folder = join(home, 'peer');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{}');
  const flags = ['--no-audit', '--no-fund', '--silent'];
  execFileSync('npm', ['install', ...flags, ...PEER], { cwd: folder, stdio: 'ignore' });
  const command = join(folder, 'node_modules', '.bin', 'typescript-language-server');
  return server('typescript-language-server', { commands: [command] });
}

class Pool {
  readonly servers: LanguageServers;
  roots: readonly Root[] = [];
  #changed: ((change: RootsDiff) => void) | undefined;

  constructor(definition_: ServerDefinition) {
    this.servers = new LanguageServers(
      {
        snapshot: () => ({ roots: this.roots }),
        onDidChange: (listener) => {
          this.#changed = listener;
          return { dispose: () => undefined };
        },
      },
      { servers: [definition_], environment, limits: LIMITS },
    );
  }

  async open(...paths: readonly string[]): Promise<Scope> {
    const entries = paths.map((path) => ({ path }));
    const before = this.roots;
    this.roots = (await readPathRoots(entries, { source: 'flag', home: '/nonexistent' })).roots;
    this.#changed?.(diffRoots(before, this.roots));
    return new Scope({ roots: this.roots });
  }

  /** Megabytes of all its processes. */
  memory(): number {
    return this.servers.status().reduce((sum, { memoryKb = Number.NaN }) => sum + memoryKb, 0) / 1024;
  }
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

/** From nothing to the first definition and all references of a symbol of this very repository. */
async function firstAnswer(
  root: string,
  definition_: ServerDefinition,
): Promise<{ readonly milliseconds: number; readonly megabytes: number; readonly found: number }> {
  const pool = new Pool(definition_);
  try {
    const scope = await pool.open(root);
    const request = { symbol: 'RootwardError', file: join(root, 'core', 'src', 'error.ts') };
    let found = 0;
    const milliseconds = await timed(async () => {
      await definition({ servers: pool.servers, scope }, request);
      found = (await references({ servers: pool.servers, scope }, request)).total;
    });
    return { milliseconds, megabytes: pool.memory(), found };
  } finally {
    await pool.servers.dispose();
  }
}

async function typeScript(home: string): Promise<Row[]> {
  const root = join(home, 'typescript');
  for (const name of ['core', 'lsp', 'mcp', 'server']) {
    cpSync(join(repository, 'packages', name, 'src'), join(root, name, 'src'), { recursive: true });
  }
  const compilerOptions = { strict: true, module: 'nodenext', target: 'es2023', noEmit: true, types: [] };
  writeFileSync(join(root, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  const [ours, theirs] = [server('typescript'), fetchPeer(home)];
  const results = { ours: [await firstAnswer(root, ours)], theirs: [await firstAnswer(root, theirs)] };
  for (let round = 1; round < ROUNDS; round += 1) {
    results.ours.push(await firstAnswer(root, ours));
    results.theirs.push(await firstAnswer(root, theirs));
  }
  const counts = new Set([...results.ours, ...results.theirs].map(({ found }) => found));
  if (counts.size !== 1) throw new Error(`The servers found different numbers: ${[...counts].join(', ')}`);
  const pick = (key: 'milliseconds' | 'megabytes'): Pick<Row, 'ours' | 'peer'> => ({
    ours: median(results.ours.map((result) => result[key])),
    peer: median(results.theirs.map((result) => result[key])),
  });
  const what = 'first definition and references in this repository';
  return [
    { what: `${what}: time`, unit: 'ms', ...pick('milliseconds'), goal: 0.3 },
    { what: `${what}: memory`, unit: 'MB', ...pick('megabytes'), goal: 0.4 },
    await warmDefinition(root, 'a definition, asked again', {
      server: 'typescript',
      file: join(root, 'core', 'src', 'error.ts'),
      symbol: 'RootwardError',
      after: 'export class ',
    }),
    ...(await characters(root)),
  ];
}

/** A definition that is asked for again and again, beside the same question put to the server directly. */
async function warmDefinition(root: string, what: string, asked: Asked): Promise<Row> {
  const { file, symbol } = asked;
  const pool = new Pool(server(asked.server));
  try {
    const scope = await pool.open(root);
    const code = { servers: pool.servers, scope };
    const { definitions } = await definition(code, { symbol, file });
    if (definitions.length === 0) throw new Error(`${symbol} was not found`);
    const lines = readFileSync(file, 'utf8').split('\n');
    const line = lines.findIndex((text) => text.includes(asked.after + symbol));
    if (line < 0) throw new Error(`${file} does not have ${asked.after}${symbol}`);
    const character = (lines[line] ?? '').indexOf(asked.after + symbol) + asked.after.length;
    const position = { line, character };
    const params = { textDocument: { uri: pathToFileUri(file) }, position };
    const [ours, peer]: [number[], number[]] = [[], []];
    for (let round = 0; round < WARM_ROUNDS; round += 1) {
      ours.push(await timed(() => definition(code, { symbol, file })));
      await pool.servers.ask(scope, file, async (instance) => {
        peer.push(await timed(() => instance.request('textDocument/definition', params)));
      });
    }
    return {
      what: `${what}: time`,
      unit: 'ms',
      ours: median(ours),
      peer: median(peer),
      peerName: 'the server, asked directly',
      goal: 10,
    };
  } finally {
    await pool.servers.dispose();
  }
}

interface Asked {
  readonly server: string;
  readonly file: string;
  readonly symbol: string;
  /** What stands before the symbol where the server is asked. */
  readonly after: string;
}

/** A function that is declared in a header and defined in another source, among as many as a real one has. */
async function c(home: string): Promise<Row[]> {
  const root = join(home, 'c');
  mkdirSync(root);
  const names = Array.from({ length: C_FUNCTIONS }, (_, index) => `counter_${index}`);
  const write = (name: string, lines: readonly string[]): void =>
    writeFileSync(join(root, name), `${lines.join('\n')}\n`);
  write('counter.h', ['#pragma once', ...names.map((name) => `int ${name}(int by);`)]);
  const bodies = names.flatMap((name) => [`int ${name}(int by) {`, '  return by + 1;', '}', '']);
  write('counter.c', ['#include "counter.h"', '', ...bodies]);
  const calls = names.map((name) => `  sum += ${name}(sum);`);
  write('main.c', ['#include "counter.h"', '', 'int main(void) {', '  int sum = 0;', ...calls, '}']);
  const asked = { server: 'clangd', file: join(root, 'main.c'), symbol: 'counter_77', after: 'sum += ' };
  return [await warmDefinition(root, 'a definition in another file of C, asked again', asked)];
}

async function hasClangd(): Promise<boolean> {
  const pool = new Pool(server('clangd'));
  const [found] = await pool.servers.installed();
  return found?.finding.kind === 'found';
}

/** What an agent reads, beside the form with kinds, locals and absolute paths that came before. */
async function characters(root: string): Promise<Row[]> {
  const pool = new Pool(server('typescript'));
  const rootward = new StdioServer([BUNDLE, root], [], environment);
  try {
    const scope = await pool.open(root);
    const code = { servers: pool.servers, scope };
    const file = join(root, 'server', 'src', 'cli', 'create-program.ts');
    await rootward.initialize();
    const text = async (name: string, args: object): Promise<number> =>
      (await rootward.call(name, args)).content.reduce((sum, part) => sum + (part.text?.length ?? 0), 0);
    const { symbols } = await outline(code, { file, depth: ALL_LEVELS });
    const { files } = await findSymbol(code, { query: 'create', locals: true });
    const listed = files.flatMap(({ file: path, symbols: found }) =>
      [path].concat(
        found.map(({ line, kind, container, name }) => `  ${line}: ${kind} ${container ?? ''}.${name}`),
      ),
    );
    const peerName = 'with kinds, locals and absolute paths';
    const row = { unit: 'characters', peerName, goal: 0.5 };
    return [
      {
        what: 'outline of a file',
        ours: await text('outline', { file }),
        peer: drawn(symbols).join('\n').length,
        ...row,
      },
      {
        what: 'find_symbol',
        ours: await text('find_symbol', { query: 'create' }),
        peer: listed.join('\n').length,
        ...row,
      },
    ];
  } finally {
    await rootward.close();
    await pool.servers.dispose();
  }
}

function drawn(symbols: readonly OutlineSymbol[]): readonly string[] {
  return symbols.flatMap(({ name, kind, line, endLine, children = [] }) => [
    `${line}-${endLine}: ${kind} ${name}`,
    ...drawn(children).map((child) => `  ${child}`),
  ]);
}

function pythonProject(path: string, name: string): string {
  mkdirSync(path, { recursive: true });
  for (let index = 0; index < PYTHON_FILES; index += 1) {
    writeFileSync(
      join(path, `m${index}.py`),
      `def ${name}_${index}(x: int) -> int:\n    return x + ${index}\n`,
    );
  }
  return path;
}

/** A second root for a server that runs, against a second server for it. */
async function secondRoot(
  home: string,
  folders: FolderKind,
): Promise<{ milliseconds: number; megabytes: number }> {
  const [a, b] = [pythonProject(join(home, 'a'), 'first'), pythonProject(join(home, 'b'), 'second')];
  const pool = new Pool(server('pyright', { folders }));
  try {
    const search = async (scope: Scope, query: string, root: string): Promise<void> => {
      const { total } = await findSymbol({ servers: pool.servers, scope }, { query, root });
      if (total === 0) throw new Error(`${query} was not found`);
    };
    await search(await pool.open(a), 'first_7', a);
    const milliseconds = await timed(async () => search(await pool.open(a, b), 'second_7', b));
    return { milliseconds, megabytes: pool.memory() };
  } finally {
    await pool.servers.dispose();
  }
}

async function python(home: string): Promise<Row[]> {
  const shared = await secondRoot(join(home, 'shared'), 'shared');
  const apart = await secondRoot(join(home, 'apart'), 'per-root');
  const peerName = 'ours, a process per root';
  return [
    {
      what: 'a root added to a running pyright: to its first symbol',
      unit: 'ms',
      ours: shared.milliseconds,
      peer: apart.milliseconds,
      peerName,
      goal: 0.8,
    },
    {
      what: 'pyright over two roots: memory',
      unit: 'MB',
      ours: shared.megabytes,
      peer: apart.megabytes,
      peerName,
      goal: 0.7,
    },
  ];
}

/** What understanding code costs, through our own tools on both sides. */
export async function benchCode(): Promise<Section> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-bench-code-')));
  try {
    const isC = await hasClangd();
    const rows = [...(await typeScript(home)), ...(isC ? await c(home) : []), ...(await python(home))];
    return {
      title: isC ? 'Code (@rootward/lsp)' : 'Code (@rootward/lsp), without C: clangd is not installed',
      peer: PEER.join(', '),
      rows,
    };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
