import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { OURS } from './peer.js';
import { StdioServer } from './stdio-server.js';

const caches = (): readonly string[] => readdirSync(dirname(OURS)).filter((name) => name.endsWith('.cache'));

/**
 * Starts a server once, until it has kept the code that it compiled: two seconds after the start, and again after half a
 * minute. A user meets starts without that code once per installation.
 */
export async function warmInstallation(root: string): Promise<void> {
  // An older one may have been made with other flags of the engine.
  for (const name of caches()) rmSync(join(dirname(OURS), name));
  const path = join(root, 'warm.txt');
  writeFileSync(path, 'warm');
  const server = new StdioServer([OURS, root]);
  await server.initialize();
  while (sizeOfCache() === 0) await delay(100);
  const early = sizeOfCache();
  await server.request('tools/list', {});
  await server.call('read_text_file', { path });
  while (sizeOfCache() === early) await delay(100);
  await server.close();
}

function sizeOfCache(): number {
  const [name] = caches();
  return name === undefined ? 0 : (statSync(join(dirname(OURS), name), { throwIfNoEntry: false })?.size ?? 0);
}
