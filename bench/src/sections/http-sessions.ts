import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { HttpBridge } from '../http-bridge.js';
import { OURS } from '../peer.js';
import type { Row } from '../row.js';

const PROBE = fileURLToPath(new URL('../heap-probe.js', import.meta.url));
/** Fewer than keep their servers while they rest. */
const IN_USE = 200;
/** So many that most of them give their servers back. */
const MANY = 2000;
const MAX_SESSION_KB = 20;
/** They do so a second after their last request; another one until the next look at them, and one to be sure. */
const UNTIL_PARKED_MS = 3000;
/** Of those that were opened first. */
const WOKEN = 200;
/** Of those that were opened last, and still have their servers. */
const WARM = 200;
const MAX_WAKING_MS = 1;
/** Enough that what the collector has left over for a moment does not count. */
const RESIDENT = 8000;
const WARM_ROUNDS = 25;

/** What sessions of legacy clients that have read a file take of memory, and what it costs to go on with one. */
export async function sessionRows(root: string, path: string): Promise<readonly Row[]> {
  return [...(await heapRows(root, path)), ...(await residentRows(root, path))];
}

async function open(server: HttpBridge, count: number, path: string): Promise<HttpBridge[]> {
  const opened: HttpBridge[] = [];
  while (opened.length < count) {
    const session = await server.another();
    await session.call('read_text_file', { path });
    opened.push(session);
  }
  return opened;
}

/** As the system sees it, with what waits to be collected. */
async function residentRows(root: string, path: string): Promise<readonly Row[]> {
  const server = await HttpBridge.start((port) => [
    OURS,
    root,
    '--http',
    String(port),
    '--insecure-no-token',
  ]);
  try {
    // A server that has been at work for a while, whose heap has grown to what calls need.
    const first = await open(server, IN_USE, path);
    for (let round = 0; round < WARM_ROUNDS; round++)
      for (const session of first) await session.call('read_text_file', { path });
    const before = server.treeMegabytes();
    const sessions = await open(server, RESIDENT, path);
    const opened = server.treeMegabytes();
    for (const session of sessions) await session.listen();
    const listening = server.treeMegabytes();
    return [
      {
        what: `resident memory per session of a legacy client, ${RESIDENT} sessions`,
        unit: 'KB',
        ours: ((opened - before) / RESIDENT) * 1024,
        goal: MAX_SESSION_KB,
      },
      {
        what: 'the same while each has a stream open',
        unit: 'KB',
        ours: ((listening - before) / RESIDENT) * 1024,
      },
    ];
  } finally {
    await server.close();
  }
}

async function heapRows(root: string, path: string): Promise<readonly Row[]> {
  const file = join(root, 'heap');
  const probe = ['--expose-gc', '--import', pathToFileURL(PROBE).href];
  const server = await HttpBridge.start(
    (port) => [...probe, OURS, root, '--http', String(port), '--insecure-no-token'],
    { ROOTWARD_BENCH_HEAP: file },
  );
  const cost = async (sessions: readonly HttpBridge[]): Promise<number> => {
    const before = server.cpuMilliseconds();
    for (const session of sessions) await session.call('read_text_file', { path });
    return (server.cpuMilliseconds() - before) / sessions.length;
  };
  try {
    // By then all that is made once is there.
    await open(server, IN_USE / 5, path);
    const before = await server.heapBytes(file);
    const first = await open(server, IN_USE, path);
    const inUse = (await server.heapBytes(file)) - before;
    const last = (await open(server, MANY - IN_USE, path)).slice(-WARM);
    await delay(UNTIL_PARKED_MS);
    const all = (await server.heapBytes(file)) - before;
    // Looking at the heap so thoroughly throws compiled code away, too, and a first call would compile it again.
    await cost(last);
    const woken = first.slice(0, WOKEN);
    const waking = await cost(woken);
    return [
      {
        what: `heap per session of a legacy client, ${MANY} sessions`,
        unit: 'KB',
        ours: all / MANY / 1024,
        goal: MAX_SESSION_KB,
      },
      {
        what: `heap per session of a legacy client while all are in use, ${IN_USE} sessions`,
        unit: 'KB',
        ours: inUse / IN_USE / 1024,
        goal: MAX_SESSION_KB,
      },
      {
        what: 'processor time that a read takes longer in a session that rested',
        unit: 'ms',
        ours: waking - (await cost(woken)),
        goal: MAX_WAKING_MS,
      },
    ];
  } finally {
    await server.close();
  }
}
