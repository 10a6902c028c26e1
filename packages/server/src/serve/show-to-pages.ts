import type { Socket } from 'node:net';
import type { ChildRegistry } from '@rootward/mcp';
import { openBeacon } from '../watch/beacon.js';
import type { LiveProcess } from '../watch/live-process.js';
import type { PageReporter } from '../watch/report-to-page.js';
import { runtimeFolder } from '@rootward/core/platform';
import type { ServerSetup } from './prepare-server.js';

type OnShutdown = (hook: () => void) => void;

/** By then the client has its first answer: opening the socket takes 2 ms, and pages look for new processes all the time. */
const OPEN_AFTER_MS = 100;

/** Lets pages of this user find the process. */
export function showToPages(
  setup: ServerSetup,
  transport: string,
  children: ChildRegistry,
  onShutdown: OnShutdown,
): void {
  const { events, limits, sessions, questions, history, wrapped, environment, directory } = setup;
  const all = [children, ...(wrapped === undefined ? [] : [wrapped.children])];
  const live = { transport, directory, events, limits, sessions, questions, children: all, history };
  showProcess(live, environment, onShutdown);
}

/** The same for any process that has something to show. */
export function showProcess(
  shown: Omit<LiveProcess, 'started'>,
  environment: ServerSetup['environment'],
  onShutdown: OnShutdown,
): void {
  const live = { ...shown, started: Date.now() };
  let reporter: Promise<PageReporter> | undefined;
  const connect = (socket: Socket): void => {
    socket.on('error', () => socket.destroy());
    reporter ??= import('../watch/report-to-page.js').then((loaded) => new loaded.PageReporter(live));
    // A page that cannot be served must not end what it shows.
    reporter.then((made) => made.connect(socket)).catch(() => socket.destroy());
  };
  const opening = setTimeout(() => {
    void openBeacon(runtimeFolder({ environment }), connect).then((beacon) =>
      onShutdown(() => beacon[Symbol.dispose]()),
    );
  }, OPEN_AFTER_MS);
  onShutdown(() => clearTimeout(opening));
}
