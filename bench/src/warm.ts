import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { OURS } from './peer.js';
import { StdioServer } from './stdio-server.js';

const caches = (): readonly string[] => readdirSync(dirname(OURS)).filter((name) => name.endsWith('.cache'));

/**
 * What a start compiles is kept two seconds later, and half a minute later what was used by then; a user meets starts
 * without it once per installation.
 */
export async function warmInstallation(root: string): Promise<void> {
  // What is there may have been made with other flags of the engine.
  for (const name of caches()) rmSync(join(dirname(OURS), name));
  const path = join(root, 'warm.txt');
  writeFileSync(path, 'warm');
  const server = new StdioServer([OURS, root]);
  await server.initialize();
  while (caches().length === 0) await delay(100);
  await server.request('tools/list', {});
  await server.call('read_text_file', { path });
  while (!caches().some((name) => name.endsWith('-used.cache'))) await delay(100);
  await server.close();
}
