import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { whileAwake } from '../awake.js';
import { HttpBridge } from '../http-bridge.js';
import { compare, median, medians } from '../measure.js';
import type { Row, Section } from '../row.js';
import { StdioServer } from '../stdio-server.js';

const require = createRequire(import.meta.url);
const folderOf = (name: string): string => dirname(require.resolve(`${name}/package.json`));
const INNER = join(folderOf('@modelcontextprotocol/server-filesystem'), 'dist', 'index.js');
const PROGRAM = join(folderOf('rootward'), 'dist', 'rootward.cjs');
const MCP_PROXY = join(dirname(require.resolve('mcp-proxy')), 'bin', 'mcp-proxy.mjs');
const COPYING_PROXY = fileURLToPath(new URL('../copying-proxy.js', import.meta.url));
const SUPERGATEWAY = join(folderOf('supergateway'), 'dist', 'index.js');
/** Enough for V8 to optimise all three programs: a call takes less then, so it is measured before that, too. */
const SETTLED = { batches: 21, perBatch: 60, warmUpMs: 2500 };
const EARLY = { batches: 5, perBatch: 40, warmUpMs: 0 };
const LARGE = { batches: 7, perBatch: 5, warmUpMs: 300 };
const SIZES = { '1 KB': 1024, '1 MB': 1024 * 1024 };
/** Which cores the system gives to three processes is settled with the start: the same programs, started again, took 1.1 to 2.3 times as long as directly. */
const STARTS = 5;
/** Milliseconds that a call may take longer. */
const MAX_OVERHEAD = 1;
const MAX_MEGABYTES = 60;
const TOOL = 'read_text_file';
const SHARERS = 5;
const FLOOR = 'the floor: a Node program that only copies';

/** What a wrapped server costs beside the same server without anything in front. */
export async function benchWrap(): Promise<Section> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-bench-')));
  for (const [name, bytes] of Object.entries(SIZES)) {
    writeFileSync(join(folder, name), 'line of text\n'.repeat(bytes).slice(0, bytes));
  }
  try {
    return {
      title: 'A wrapped server',
      peer: 'server-filesystem directly',
      rows: [
        ...(await whileAwake(() => overStdio(folder))),
        ...(await whileAwake(() => overHttp(folder))),
        ...(await sharing(folder)),
      ],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function overStdio(folder: string): Promise<readonly Row[]> {
  const starts: Start[] = [];
  while (starts.length < STARTS) starts.push(await measureStart(folder));
  const [early = 0, directEarly = 0] = medians(starts.map((start) => start.early));
  const [small = 0, direct = 0, copied = 0] = medians(starts.map((start) => start.settled));
  const [large = 0, directLarge = 0, copiedLarge = 0] = medians(starts.map((start) => start.large));
  const memory = median(starts.map((start) => start.megabytes));
  return [
    { what: 'read 1 KB over stdio, the first 240 calls', unit: 'µs', ours: early, peer: directEarly },
    { what: 'read 1 KB over stdio', unit: 'µs', ours: small, peer: direct, goal: 1.5 },
    { what: `read 1 KB, ${FLOOR}`, unit: 'µs', ours: copied, peer: direct },
    { what: 'added to a call', unit: 'ms', ours: (small - direct) / 1000, goal: MAX_OVERHEAD },
    { what: 'read 1 MB over stdio', unit: 'µs', ours: large, peer: directLarge, goal: 1.2 },
    { what: `read 1 MB, ${FLOOR}`, unit: 'µs', ours: copiedLarge, peer: directLarge },
    { what: 'memory of rootward wrap', unit: 'MB', ours: memory, goal: MAX_MEGABYTES },
  ];
}

/** Microseconds, wrapped, directly and through a program that only copies. */
interface Start {
  readonly early: readonly number[];
  readonly settled: readonly number[];
  readonly large: readonly number[];
  /** Of `rootward wrap`, after all of it. */
  readonly megabytes: number;
}

async function measureStart(folder: string): Promise<Start> {
  const command = [process.execPath, INNER];
  const wrapped = new StdioServer([PROGRAM, 'wrap', '--root', folder, '--', ...command, '{roots}']);
  const direct = new StdioServer([INNER, folder]);
  const copied = new StdioServer([COPYING_PROXY, ...command, folder]);
  const servers = [wrapped, direct, copied];
  await Promise.all(servers.map((server) => server.initialize()));
  const reads = (size: keyof typeof SIZES): (() => Promise<unknown>)[] =>
    servers.map((server) => () => server.call(TOOL, { path: join(folder, size) }));
  const early = await compare(reads('1 KB').slice(0, 2), EARLY);
  const settled = await compare(reads('1 KB'), SETTLED);
  const large = await compare(reads('1 MB'), LARGE);
  const megabytes = wrapped.residentMegabytes();
  await Promise.all(servers.map((server) => server.close()));
  return { early, settled, large, megabytes };
}

/** Everything that runs for the sessions of one project: `rootward wrap` and the servers it started. */
async function sharing(folder: string): Promise<readonly Row[]> {
  const start = (): Promise<HttpBridge> =>
    HttpBridge.start((port) => [
      PROGRAM,
      'wrap',
      '--http',
      String(port),
      '--share',
      '--root',
      folder,
      '--insecure-no-token',
      '--',
      process.execPath,
      INNER,
      folder,
    ]);
  const megabytes: number[] = [];
  for (const sessions of [1, SHARERS]) {
    const bridge = await start();
    const clients = [bridge];
    while (clients.length < sessions) clients.push(await bridge.another());
    for (let turn = 0; turn < 20; turn++) {
      for (const client of clients) await client.call(TOOL, { path: join(folder, '1 KB') });
    }
    megabytes.push(bridge.treeMegabytes());
    await bridge.close();
  }
  const [peer = 0, ours = 0] = megabytes;
  const what = `memory for ${SHARERS} sessions with --share`;
  return [{ what, unit: 'MB', ours, peer, peerName: 'for 1 session', goal: 1.2 }];
}

/** Those that do not start here are left out. */
async function overHttp(folder: string): Promise<readonly Row[]> {
  const inner = [process.execPath, INNER, folder];
  const ours = await HttpBridge.start((port) => [
    PROGRAM,
    'wrap',
    '--http',
    String(port),
    '--root',
    folder,
    '--insecure-no-token',
    '--',
    ...inner,
  ]);
  const peers = [
    {
      name: 'mcp-proxy',
      args: (port: number) => [MCP_PROXY, '--port', String(port), '--server', 'stream', '--', ...inner],
    },
    {
      name: 'supergateway',
      args: (port: number) =>
        `${SUPERGATEWAY} --port ${port} --outputTransport streamableHttp --stateful --logLevel none --stdio`
          .split(' ')
          .concat(inner.join(' ')),
    },
  ];
  const rows: Row[] = [];
  for (const { name, args } of peers) {
    const bridge = await HttpBridge.start(args).catch(() => undefined);
    if (bridge === undefined) continue;
    const path = join(folder, '1 KB');
    const read = (each: HttpBridge) => () => each.call(TOOL, { path });
    const [own = 0, peer = 0] = await compare([read(ours), read(bridge)], SETTLED);
    rows.push({ what: 'read 1 KB over HTTP', unit: 'µs', ours: own, peer, peerName: name });
    await bridge.close();
  }
  await ours.close();
  return rows;
}
