import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { whileAwake } from '../awake.js';
import { HttpBridge } from '../http-bridge.js';
import { compare } from '../measure.js';
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
const SETTLED_MS = 4000;
const EARLY = { batches: 5, perBatch: 40, warmUpMs: 0 };
const SIZES = [
  { name: '1 KB', bytes: 1024, goal: 1.5, options: { batches: 21, perBatch: 60, warmUpMs: SETTLED_MS } },
  { name: '1 MB', bytes: 1024 * 1024, goal: 1.2, options: { batches: 7, perBatch: 5, warmUpMs: 300 } },
] as const;
/** Milliseconds that a call may take longer. */
const MAX_OVERHEAD = 1;
const MAX_MEGABYTES = 60;
const TOOL = 'read_text_file';
const SHARERS = 5;

/** What a wrapped server costs beside the same server without anything in front. */
export async function benchWrap(): Promise<Section> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-bench-')));
  for (const { name, bytes } of SIZES) {
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
  const direct = new StdioServer([INNER, folder]);
  const wrapped = new StdioServer([
    PROGRAM,
    'wrap',
    '--root',
    folder,
    '--',
    process.execPath,
    INNER,
    '{roots}',
  ]);
  const copied = new StdioServer([COPYING_PROXY, process.execPath, INNER, folder]);
  await Promise.all([direct.initialize(), wrapped.initialize(), copied.initialize()]);
  const rows: Row[] = [];
  for (const { name, goal, options } of SIZES) {
    const path = join(folder, name);
    const read = (server: StdioServer) => () => server.call(TOOL, { path });
    if (name === '1 KB') {
      const [ours = 0, peer = 0] = await compare([read(wrapped), read(direct)], EARLY);
      rows.push({ what: `read ${name} over stdio, the first 240 calls`, unit: 'µs', ours, peer });
    }
    const [ours = 0, peer = 0, least = 0] = await compare(
      [read(wrapped), read(direct), read(copied)],
      options,
    );
    rows.push(
      { what: `read ${name} over stdio`, unit: 'µs', ours, peer, goal },
      { what: `read ${name}, the floor: a Node program that only copies`, unit: 'µs', ours: least, peer },
    );
    if (name === '1 KB')
      rows.push({ what: 'added to a call', unit: 'ms', ours: (ours - peer) / 1000, goal: MAX_OVERHEAD });
  }
  rows.push({
    what: 'memory of rootward wrap',
    unit: 'MB',
    ours: wrapped.residentMegabytes(),
    goal: MAX_MEGABYTES,
  });
  await Promise.all([direct.close(), wrapped.close(), copied.close()]);
  return rows;
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
    const [own = 0, peer = 0] = await compare([read(ours), read(bridge)], SIZES[0].options);
    rows.push({ what: 'read 1 KB over HTTP', unit: 'µs', ours: own, peer, peerName: name });
    await bridge.close();
  }
  await ours.close();
  return rows;
}
