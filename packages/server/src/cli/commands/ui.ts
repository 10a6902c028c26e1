import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import { RootwardServerError } from '../../error.js';
import { createPageServer } from '../../page/page-server.js';
import { readPageFile } from '../../page/page-file.js';
import { ProcessWatcher } from '../../page/process-watcher.js';
import { makeRuntimeFolder, runtimeFolder } from '../../watch/runtime-folder.js';
import { painter } from '../output/paint.js';
import { displayFor } from '../output/terminal.js';
import type { Terminal } from '../output/terminal.js';

const DEFAULT_PORT = 7421;
const MAX_PORT = 65_535;
const LOOPBACK = '127.0.0.1';
const TOKEN_BYTES = 24;

export interface UiFlags {
  readonly port?: string;
  readonly open?: boolean;
}

/** Serves the page on this machine until it is told to stop. */
export async function runUi({ port, open }: UiFlags, terminal: Terminal): Promise<undefined> {
  const { program, environment } = terminal.start;
  if (program === undefined) throw new RootwardServerError('usage', 'Cannot find the page: it is not built');
  if (process.platform === 'win32') {
    throw new RootwardServerError(
      'usage',
      'Cannot find running servers: this system has no sockets in folders',
    );
  }
  const folder = runtimeFolder(environment);
  if (!makeRuntimeFolder(folder)) {
    throw new RootwardServerError(
      'usage',
      `Cannot use ${folder}: it belongs to someone else, or others may enter it`,
    );
  }
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const watcher = new ProcessWatcher(folder);
  const server = createPageServer({ file: readPageFile(join(program, 'page.html')), token, watcher });
  const got = await listen(server, readPort(port));
  // The token is behind "#", which browsers keep to themselves.
  const address = `http://${LOOPBACK}:${got}/#${token}`;
  const stop = (): void => {
    watcher.dispose();
    server.close();
    server.closeAllConnections();
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  const paint = painter(displayFor(terminal, 'out'));
  terminal.out(`The page is at ${paint('name', address)}\nStop it with Ctrl+C.\n`);
  if (open === true) await openBrowser(address);
  return undefined;
}

function readPort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= MAX_PORT) return port;
  throw new RootwardServerError(
    'usage',
    `Cannot use ${JSON.stringify(text)} as --port: expected a number up to ${MAX_PORT}`,
  );
}

/** A port that was given must be free; else the usual one is tried, and then any. */
async function listen(
  server: ReturnType<typeof createPageServer>,
  given: number | undefined,
): Promise<number> {
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

async function openBrowser(address: string): Promise<void> {
  const { spawn } = await import('node:child_process');
  const command = process.platform === 'darwin' ? 'open' : 'xdg-open';
  spawn(command, [address], { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
}
