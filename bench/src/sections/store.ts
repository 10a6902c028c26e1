import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { Revocations } from '@rootward/mcp';
import { RedisStore } from '@rootward/mcp/redis';
import { HttpBridge } from '../http-bridge.js';
import { OURS } from '../peer.js';
import type { Row } from '../row.js';

const ROUNDS = 20;
const MAX_MS = 1000;
const KEY_BYTES = 32;

/** `timeCalls`: microseconds of processor time per call. `alone`: the same without a store. */
export async function storeRows(
  root: string,
  timeCalls: (server: HttpBridge) => Promise<number>,
  alone: number,
): Promise<readonly Row[]> {
  if (spawnSync('redis-server', ['--version']).status !== 0) return [];
  const socket = join(root, 'redis.sock');
  const redis = spawn('redis-server', ['--port', '0', '--unixsocket', socket, '--save', '', '--dir', root], {
    stdio: 'ignore',
  });
  const url = `unix://${socket}`;
  const store = await RedisStore.connect({ url });
  const revocations = new Revocations(store);
  const servers: HttpBridge[] = [];
  try {
    await revocations.settled();
    // The same for both.
    const ROOTWARD_HANDLE_KEY = randomBytes(KEY_BYTES).toString('base64');
    const start = (): Promise<HttpBridge> =>
      HttpBridge.start(
        (port) => [OURS, root, '--http', String(port), '--insecure-no-token', '--store', url],
        { ROOTWARD_HANDLE_KEY },
      );
    const opener = await start();
    servers.push(opener);
    const other = await start();
    servers.push(other);
    await timeCalls(opener);
    const shared = await timeCalls(opener);
    // From the word that revokes a session to the first request that another instance refuses.
    let slowest = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const session = (await opener.another()).sessionId;
      if (!(await other.accepts(session))) throw new Error('Cannot measure: the session is not shared');
      const begun = performance.now();
      await revocations.revoke('session', session);
      while (await other.accepts(session));
      slowest = Math.max(slowest, performance.now() - begun);
    }
    return [
      {
        what: 'processor time per read of 1 KB over HTTP with --store',
        unit: 'µs',
        ours: shared,
        peer: alone,
        peerName: 'ours, without',
      },
      {
        what: `a session revoked until another instance refuses it, the slowest of ${ROUNDS}`,
        unit: 'ms',
        ours: slowest,
        goal: MAX_MS,
      },
    ];
  } finally {
    await Promise.all(servers.map((server) => server.close()));
    revocations.dispose();
    await store.close();
    const gone = once(redis, 'exit');
    redis.kill();
    await gone;
  }
}
