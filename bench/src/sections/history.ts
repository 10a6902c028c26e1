import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { whileAwake } from '../awake.js';
import { alternate, compare } from '../measure.js';
import type { Row, Section } from '../row.js';
import { StdioServer } from '../stdio-server.js';
import { OURS } from '../peer.js';

const MANY_FILES = 10_000;
const MANY_CHANGES = 100_000;
const FOLDERS = 100;
const SHORT_BATCHES = { batches: 201, perBatch: 10, warmUpMs: 2000 };

const WITHOUT = ['--history', 'off'] as const;

async function withBoth<Result>(
  directory: string,
  use: (servers: readonly [kept: StdioServer, plain: StdioServer]) => Promise<Result>,
): Promise<Result> {
  const servers = [
    new StdioServer([OURS, directory]),
    new StdioServer([OURS, directory, ...WITHOUT]),
  ] as const;
  try {
    await Promise.all(servers.map((server) => server.initialize()));
    return await use(servers);
  } finally {
    await Promise.all(servers.map((server) => server.close()));
  }
}

/** Another content each time, as an agent writes; what is there is kept anew each time. */
async function writing(directory: string): Promise<Row> {
  return withBoth(directory, async (servers) => {
    let count = 0;
    const writes = servers.map((server, index) => () => {
      const content = `${(count += 1)}`.padEnd(1024, 'x');
      return server.call('write_file', { path: join(directory, `written-${index}.txt`), content });
    });
    const [ours = 0, peer = 0] = await compare(writes, SHORT_BATCHES);
    return { what: 'write_file of 1 KB over stdio', unit: 'µs', ours, peer, goal: 1.3 };
  });
}

function growTree(path: string): void {
  for (let folder = 0; folder < FOLDERS; folder++) {
    mkdirSync(join(path, String(folder)), { recursive: true });
    for (let file = 0; file < MANY_FILES / FOLDERS; file++) {
      writeFileSync(join(path, String(folder), String(file)), `content ${folder} ${file}`);
    }
  }
}

async function deleting(directory: string): Promise<Row> {
  return withBoth(directory, async (servers) => {
    const measure = servers.map((server) => async (): Promise<number> => {
      const path = join(directory, 'tree');
      growTree(path);
      const start = performance.now();
      await server.call('delete_file', { path, recursive: true });
      return performance.now() - start;
    });
    const [ours = 0, peer = 0] = await alternate(measure, 5);
    return { what: `delete a tree of ${MANY_FILES} files`, unit: 'ms', ours, peer, goal: 1.5 };
  });
}

/** A journal as long sessions leave it behind. */
function writeJournal(state: string, directory: string): void {
  const id = createHash('sha256').update(directory).digest('hex').slice(0, 8);
  const base = join(state, 'rootward', 'history');
  const project = join(base, 'projects', `work-${id}`);
  for (const folder of [project, join(base, 'contents'), join(base, 'trees')])
    mkdirSync(folder, { recursive: true });
  writeFileSync(join(project, 'roots'), `${JSON.stringify(directory)}\n`);
  const lines: string[] = [];
  const add = (line: object): void => {
    const json = JSON.stringify(line);
    lines.push(`\n${crc32(json).toString(16).padStart(8, '0')} ${json}\n`);
  };
  const former = { kind: 'file', size: 1024, mode: 0o644, hash: 'a'.repeat(64) };
  for (let change = 0; change < MANY_CHANGES; change++) {
    const changeId = `${(1_790_000_000_000 + change).toString(36)}-abcdef`;
    const path = join(directory, `file-${change % 1000}.txt`);
    const steps = [{ path, before: former, after: former }];
    const about = { tool: 'write_file', session: '0123abcd', client: 'bench' };
    add({ type: 'change', id: changeId, at: 1_790_000_000_000 + change, ...about, steps });
    add({ type: 'end', id: changeId });
  }
  writeFileSync(join(project, 'journal'), lines.join(''));
}

async function listing(state: string, directory: string): Promise<Row> {
  writeJournal(state, directory);
  const server = new StdioServer([OURS, directory]);
  try {
    await server.initialize();
    const [ours = 0] = await alternate(
      [
        async () => {
          const start = performance.now();
          await server.call('change_history', { limit: 20 });
          return performance.now() - start;
        },
      ],
      15,
    );
    return { what: `change_history with ${MANY_CHANGES} changes`, unit: 'ms', ours, goal: 200 };
  } finally {
    await server.close();
  }
}

/** What keeping a history costs, against the same server without one. */
export async function benchHistory(): Promise<Section> {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-bench-history-')));
  const work = join(top, 'work');
  const state = join(top, 'state');
  mkdirSync(work);
  // What is removed is moved where the disk is the same, as it mostly is.
  process.env['XDG_STATE_HOME'] = state;
  try {
    const rows = await whileAwake(async () => [await writing(work), await deleting(work)]);
    rmSync(state, { recursive: true, force: true });
    return { title: 'History', peer: 'ours, --history off', rows: [...rows, await listing(state, work)] };
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}
