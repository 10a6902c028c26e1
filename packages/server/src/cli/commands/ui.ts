import { findProgram, pathOutside, type Environment } from '@rootward/core/platform';
import { RootwardServerError } from '../../error.js';
import { startPage } from '../../page/start-page.js';
import { painter } from '../output/paint.js';
import { displayFor, type Terminal } from '../output/terminal.js';

const MAX_PORT = 65_535;

export interface UiFlags {
  readonly port?: string;
  readonly open?: boolean;
}

/** Serves the page on this machine until it is told to stop. */
export async function runUi({ port, open }: UiFlags, terminal: Terminal): Promise<undefined> {
  const { program, environment, home } = terminal.start;
  const warn = (text: string): void => terminal.err(`rootward: ${text}\n`);
  const page = await startPage({ program, environment, home, warn, port: readPort(port) });
  process.once('SIGINT', () => page.stop()).once('SIGTERM', () => page.stop());
  const paint = painter(displayFor(terminal, 'out'));
  terminal.out(`The page is at ${paint('name', page.address)}\nStop it with Ctrl+C.\n`);
  if (open === true) await openBrowser(page.address, environment);
  return undefined;
}

/** The page of this process alone. It ends with the process, and never keeps it alive. */
export async function showOwnPage({ start, err }: Terminal): Promise<void> {
  const { program, environment, home } = start;
  const warn = (text: string): void => err(`rootward: ${text}\n`);
  const { address, server } = await startPage({ program, environment, home, warn, only: process.pid });
  server.unref();
  err(`rootward: the page is at ${address}\n`);
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

async function openBrowser(address: string, environment: Environment): Promise<void> {
  const { spawn } = await import('node:child_process');
  const name = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const command = findProgram(name, { environment, roots: undefined });
  if (command === undefined) return;
  const path = pathOutside(environment['PATH'] ?? '', []);
  spawn(command, [address], { stdio: 'ignore', detached: true, env: { ...environment, PATH: path } })
    .on('error', () => undefined)
    .unref();
}
