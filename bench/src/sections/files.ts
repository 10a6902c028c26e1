import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { whileAwake } from '../awake.js';
import { alternate, compare } from '../measure.js';
import { OURS, PEER, peerName } from '../peer.js';
import type { Row, Section } from '../row.js';
import { StdioServer } from '../stdio-server.js';
import { warmInstallation } from '../warm.js';

const MANY_ROOTS = 5000;
const MANY_FILES = 10_000;
const PARALLEL = 200;
const LARGE_FILE = 50 * 1024 * 1024;
const FIRST_READS = 100;
/** By then a session is under way: V8 has compiled what a read runs, in both servers. */
const WARM_UP_MS = 2000;
/** Many short batches: neighbours on the machine come and go, and each candidate should meet all of them. */
const SHORT_BATCHES = { batches: 301, perBatch: 10, warmUpMs: WARM_UP_MS };

type Use<Result> = (servers: readonly [ours: StdioServer, peer: StdioServer]) => Promise<Result>;

/** Both servers on the same directory, or with the same roots of the client. */
async function withServers<Result>(
  directory: string,
  roots: readonly string[],
  use: Use<Result>,
): Promise<Result> {
  const servers = [
    new StdioServer([OURS, directory], roots),
    new StdioServer([PEER, directory], roots),
  ] as const;
  try {
    await Promise.all(servers.map((server) => server.initialize()));
    return await use(servers);
  } finally {
    await Promise.all(servers.map((server) => server.close()));
  }
}

/** Milliseconds from the start of a process to its answer to `initialize`; how long it takes to end is not counted. */
async function timeStart(program: string, directory: string): Promise<number> {
  const start = performance.now();
  const server = new StdioServer([program, directory]);
  await server.initialize();
  const taken = performance.now() - start;
  await server.close();
  return taken;
}

async function coldStart(directory: string): Promise<Row[]> {
  await warmInstallation(directory);
  const times = await alternate([() => timeStart(OURS, directory), () => timeStart(PEER, directory)], 15);
  const [ours = 0, peer = 0] = times;
  // The floor, in processor time: Node without any program takes 0.22× of the peer, a server of the SDK that does nothing
  // 0.8× as it is installed. Bundled and compiled beforehand, most of ours is Node and reading V8's cache.
  return [{ what: 'start to the answer to initialize', unit: 'ms', ours, peer, goal: 0.45 }];
}

async function memory(directory: string): Promise<Row[]> {
  const measure = (program: string) => async (): Promise<number> => {
    const server = new StdioServer([program, directory]);
    await server.initialize();
    const megabytes = server.residentMegabytes();
    await server.close();
    return megabytes;
  };
  const [ours = 0, peer = 0] = await alternate([measure(OURS), measure(PEER)], 5);
  if (Number.isNaN(ours)) return [];
  // The floor: Node without any program takes 0.61×, a server of the SDK that does nothing 1.0×.
  return [{ what: 'resident memory after start', unit: 'MB', ours, peer, goal: 0.9 }];
}

/** All of a short session: V8 has compiled little yet, and each server pays for what it put off when it started. */
async function shortSession(directory: string, path: string): Promise<Row> {
  const measure = (program: string) => async (): Promise<number> => {
    const start = performance.now();
    const server = new StdioServer([program, directory]);
    await server.initialize();
    for (let read = 0; read < FIRST_READS; read++) await server.call('read_text_file', { path });
    const taken = performance.now() - start;
    await server.close();
    return taken;
  };
  const [ours = 0, peer = 0] = await alternate([measure(OURS), measure(PEER)], 15);
  return { what: `start and ${FIRST_READS} reads of a 1 KB file`, unit: 'ms', ours, peer };
}

/** What a server put off until it is used shows in its first call. */
async function firstCall(directory: string, path: string): Promise<Row> {
  const measure = (program: string) => async (): Promise<number> => {
    const server = new StdioServer([program, directory]);
    await server.initialize();
    const start = performance.now();
    await server.call('read_text_file', { path });
    const taken = performance.now() - start;
    await server.close();
    return taken;
  };
  const [ours = 0, peer = 0] = await alternate([measure(OURS), measure(PEER)], 15);
  return { what: 'first read of a 1 KB file after the start', unit: 'ms', ours, peer, goal: 1 };
}

async function reading(directory: string): Promise<Row[]> {
  const path = join(directory, 'small.txt');
  writeFileSync(path, 'x'.repeat(1024));
  const first = await firstCall(directory, path);
  const short = await shortSession(directory, path);
  return withServers(directory, [], async (servers) => {
    const one = servers.map((server) => () => server.call('read_text_file', { path }));
    const many = one.map((read) => () => Promise.all(Array.from({ length: PARALLEL }, read)));
    const [ours = 0, peer = 0] = await compare(one, SHORT_BATCHES);
    const [oursAtOnce = 0, peerAtOnce = 0] = await compare(many, { batches: 41, perBatch: 1 });
    return [
      first,
      short,
      { what: 'read a 1 KB file, 1 root', unit: 'µs', ours, peer, goal: 0.65 },
      {
        what: `${PARALLEL} reads at once`,
        unit: 'ms',
        ours: oursAtOnce / 1000,
        peer: peerAtOnce / 1000,
        // Twice the throughput. A server of the SDK that returns a constant takes about 0.4×.
        goal: 0.5,
      },
    ];
  });
}

async function manyRoots(base: string): Promise<Row[]> {
  const folders = Array.from({ length: MANY_ROOTS + 1 }, (_, index) => {
    const path = join(base, 'roots', `group-${index % 50}`, `project-${index}`);
    mkdirSync(path, { recursive: true });
    return path;
  });
  // Nothing is in it, so that a server which has not read the roots yet can serve nothing.
  const empty = join(base, 'empty');
  mkdirSync(empty);
  const uris = folders.map((path) => pathToFileURL(path).href);
  const lists = [uris.slice(1), uris.slice(0, -1)] as const;
  const first = join(folders[0] ?? base, 'small.txt');
  const last = join(folders.at(-1) ?? base, 'small.txt');
  const middle = join(folders.at(-2) ?? base, 'small.txt');
  for (const file of [first, middle, last]) writeFileSync(file, 'x'.repeat(1024));
  return withServers(empty, lists[0], async (servers) => {
    for (const server of servers) await server.callUntilItWorks('read_text_file', { path: last });
    const read = servers.map((server) => () => server.call('read_text_file', { path: middle }));
    const [ours = 0, peer = 0] = await compare(read, { batches: 9, perBatch: 20, warmUpMs: WARM_UP_MS });
    const change = servers.map((server) => async () => {
      server.changeRoots(lists[1]);
      await server.callUntilItWorks('read_text_file', { path: first });
      server.changeRoots(lists[0]);
      await server.callUntilItWorks('read_text_file', { path: last });
    });
    const [oursChange = 0, peerChange = 0] = await compare(change, { batches: 5, perBatch: 1 });
    return [
      { what: `read a 1 KB file, ${MANY_ROOTS} roots`, unit: 'µs', ours, peer, goal: 0.05 },
      {
        what: `change among ${MANY_ROOTS} roots until visible, twice`,
        unit: 'ms',
        ours: oursChange / 1000,
        peer: peerChange / 1000,
        goal: 0.15,
      },
    ];
  });
}

async function searching(base: string): Promise<Row[]> {
  const directory = join(base, 'tree');
  for (let index = 0; index < MANY_FILES; index++) {
    const folder = join(directory, `a${index % 10}`, `b${index % 100}`);
    if (index < 100) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `file-${index}.${index % 100 === 0 ? 'ts' : 'txt'}`), `line ${index}\n`);
  }
  return withServers(directory, [], async (servers) => {
    const search = servers.map(
      (server) => () => server.call('search_files', { path: directory, pattern: '**/*.ts' }),
    );
    const [ours = 0, peer = 0] = await compare(search, { batches: 7, perBatch: 1 });
    const [content = 0] = await compare(
      [() => servers[0].call('search_content', { path: directory, pattern: 'line 99[0-9]+$' })],
      { batches: 7, perBatch: 1 },
    );
    const [oursTree = 0, peerTree = 0] = await compare(
      [
        () => servers[0].call('directory_tree', { path: directory, maxEntries: 2 * MANY_FILES }),
        () => servers[1].call('directory_tree', { path: directory }),
      ],
      { batches: 15, perBatch: 1, warmUpMs: WARM_UP_MS },
    );
    return [
      {
        what: `directory_tree, ${MANY_FILES} files, whole`,
        unit: 'ms',
        ours: oursTree / 1000,
        peer: peerTree / 1000,
        goal: 0.5,
      },
      {
        what: `search_files, ${MANY_FILES} files`,
        unit: 'ms',
        ours: ours / 1000,
        peer: peer / 1000,
        goal: 0.2,
      },
      { what: `search_content, ${MANY_FILES} files`, unit: 'ms', ours: content / 1000 },
    ];
  });
}

async function largeFile(base: string): Promise<Row[]> {
  const path = join(base, 'large.txt');
  const line = `${'x'.repeat(99)}\n`;
  writeFileSync(path, line.repeat(LARGE_FILE / line.length));
  const lines = LARGE_FILE / line.length;
  const ranges = [{ tail: 10 }, { head: 10 }, { offset: Math.floor(lines / 2), limit: 100 }];
  return withServers(base, [], async ([ours]) => {
    const readAll = async (times: number): Promise<void> => {
      for (let time = 0; time < times; time++) {
        for (const range of ranges) await ours.call('read_text_file', { path, ...range });
      }
    };
    await readAll(2);
    const before = ours.residentMegabytes();
    await readAll(20);
    const growth = Math.max(0, ours.residentMegabytes() - before);
    if (Number.isNaN(growth)) return [];
    // A few megabytes come and go with the garbage collector; the file alone would be 50.
    return [{ what: 'memory grown by 60 ranged reads of a 50 MB file', unit: 'MB', ours: growth, goal: 12 }];
  });
}

/** The server as it is shipped, over stdio, against the reference server. */
export async function benchFiles(): Promise<Section> {
  const base = mkdtempSync(join(realpathSync(tmpdir()), 'rootward-bench-'));
  try {
    const rows = [
      ...(await coldStart(base)),
      ...(await memory(base)),
      ...(await whileAwake(() => reading(base))),
      ...(await whileAwake(() => manyRoots(base))),
      ...(await searching(base)),
      ...(await largeFile(base)),
    ];
    return { title: 'The server (rootward)', peer: peerName, rows };
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}
