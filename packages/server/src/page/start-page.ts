import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { RootwardServerError } from '../error.js';
import { runtimeFolder } from '@rootward/core/platform';
import { makeRuntimeFolder } from '../watch/runtime-folder.js';
import { DoorKey, doorFolder } from '../watch/door-key.js';
import { readPageFile } from './page-file.js';
import { createPageServer } from './page-server.js';
import { ProcessWatcher } from './process-watcher.js';

const DEFAULT_PORT = 7421;
const LOOPBACK = '127.0.0.1';
const TOKEN_BYTES = 24;

export interface PageOptions {
  /** Where the program is, and with it the page. */
  readonly program: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** Told, for people, which processes cannot be shown. */
  readonly warn: (text: string) => void;
  /** Must be free where it is given. */
  readonly port?: number | undefined;
  /** The only process to show. */
  readonly only?: number | undefined;
}

export interface StartedPage {
  /** With the token behind "#", which browsers keep to themselves. */
  readonly address: string;
  readonly server: Server;
  stop(): void;
}

/** Serves the page on this machine. */
export async function startPage({
  program,
  environment,
  home,
  warn,
  port,
  only,
}: PageOptions): Promise<StartedPage> {
  if (program === undefined) throw new RootwardServerError('usage', 'Cannot find the page: it is not built');
  if (process.platform === 'win32') {
    throw new RootwardServerError(
      'usage',
      'Cannot find running servers: this system has no sockets in folders',
    );
  }
  const folder = runtimeFolder({ environment });
  if (!makeRuntimeFolder(folder)) {
    throw new RootwardServerError(
      'usage',
      `Cannot use ${folder}: it belongs to someone else, or others may enter it`,
    );
  }
  const file = readPageFile(join(program, 'page.html'));
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const door = makeKey({ environment, home });
  const watcher = new ProcessWatcher({
    folder,
    door,
    only,
    onRefused: (pid, reason) => warn(`process ${pid} is not shown. ${reason}`),
  });
  const server = createPageServer({ file, token, watcher });
  const got = await listen(server, port).catch((error: unknown) => {
    // Connections to processes would keep this one.
    watcher.dispose();
    throw error;
  });
  return {
    address: `http://${LOOPBACK}:${got}/#${token}`,
    server,
    stop: () => {
      watcher.dispose();
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The folder of the key, which is there afterwards. */
function makeKey(start: Pick<PageOptions, 'environment' | 'home'>): string {
  const folder = doorFolder(start);
  try {
    DoorKey.make(folder);
    return folder;
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new RootwardServerError('usage', `Cannot start the page: ${problem}`, { cause: error });
  }
}

/** A port that was given must be free; else the usual one is tried, and then any. */
async function listen(server: Server, given: number | undefined): Promise<number> {
  for (const port of given === undefined ? [DEFAULT_PORT, 0] : [given]) {
    const got = await new Promise<number | undefined>((resolve) => {
      server.once('error', () => resolve(undefined));
      server.listen(port, LOOPBACK, () => {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
        resolve((server.address() as AddressInfo).port);
      });
    });
    if (got !== undefined) return got;
  }
  throw new RootwardServerError(
    'listen',
    `Cannot listen on port ${given ?? DEFAULT_PORT}: it is taken or not allowed`,
  );
}
