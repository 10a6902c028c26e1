import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HttpBridge } from '../http-bridge.js';
import { alternate } from '../measure.js';
import type { Row, Section } from '../row.js';
import { OURS } from '../peer.js';
import { sessionRows } from './http-sessions.js';
import { storeRows } from './store.js';

const SDK = fileURLToPath(new URL('../http-server.js', import.meta.url));
/** Calls under way at the same time, and calls in all: the system counts processor time in hundredths of a second. */
const AT_ONCE = 8;
const CALLS = 1000;
const TURNS = 7;
/** Half a millisecond of one core for each are 2,000 a second. */
const MAX_CPU_US = 500;

/** Microseconds of processor time of the server per call: how many a core can serve, whatever the client takes. */
async function timeCalls(server: HttpBridge, path: string): Promise<number> {
  const before = server.cpuMilliseconds();
  const read = async (): Promise<void> => {
    for (let call = 0; call < CALLS / AT_ONCE; call++) await server.call('read_text_file', { path });
  };
  await Promise.all(Array.from({ length: AT_ONCE }, read));
  return ((server.cpuMilliseconds() - before) * 1000) / CALLS;
}

/** What a read over HTTP costs, beside a server of the SDK that has no roots and checks nothing. */
export async function benchHttp(): Promise<Section> {
  const title = 'The server over HTTP';
  // Processor time is looked up in /proc.
  if (process.platform !== 'linux') return { title, rows: [] };
  const root = mkdtempSync(join(realpathSync(tmpdir()), 'rootward-bench-'));
  const path = join(root, 'small.txt');
  writeFileSync(path, 'x'.repeat(1024));
  const servers: HttpBridge[] = [];
  try {
    servers.push(
      await HttpBridge.start((port) => [OURS, root, '--http', String(port), '--insecure-no-token']),
    );
    servers.push(await HttpBridge.start((port) => [SDK, String(port)]));
    // By then V8 has compiled what a call runs, in both.
    for (const server of servers) await timeCalls(server, path);
    const [ours = 0, peer = 0] = await alternate(
      servers.map((server) => () => timeCalls(server, path)),
      TURNS,
    );
    const rows: Row[] = [
      {
        what: 'processor time per read of 1 KB over HTTP (500 µs are 2,000 a second on one core)',
        unit: 'µs',
        ours,
        goal: MAX_CPU_US,
      },
      { what: 'the same, beside the SDK alone', unit: 'µs', ours, peer, peerName: 'the SDK alone' },
    ];
    rows.push(
      ...(await sessionRows(root, path)),
      ...(await storeRows(root, (server) => timeCalls(server, path), ours)),
    );
    return { title, rows };
  } finally {
    await Promise.all(servers.map((server) => server.close()));
    rmSync(root, { recursive: true, force: true });
  }
}
