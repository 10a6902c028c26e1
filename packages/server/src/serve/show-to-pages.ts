import type { Socket } from 'node:net';
import type { ChildRegistry } from '@rootward/mcp';
import { openBeacon } from '../watch/beacon.js';
import type { LiveProcess } from '../watch/live-process.js';
import type { Door } from '../watch/admit-page.js';
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
  const { events, limits, sessions, questions, history, wrapped, directory } = setup;
  const all = [children, ...(wrapped === undefined ? [] : [wrapped.children])];
  const live = { transport, directory, events, limits, sessions, questions, children: all, history };
  showProcess(live, setup, onShutdown);
}

/** The same for any process that has something to show. */
export function showProcess(
  shown: Omit<LiveProcess, 'started'>,
  start: Pick<ServerSetup, 'environment' | 'home'>,
  onShutdown: OnShutdown,
): void {
  const live = { ...shown, started: Date.now() };
  let reporter: Promise<{ readonly door: Door; readonly pages: PageReporter }> | undefined;
  const connect = (socket: Socket): void => {
    socket.on('error', () => socket.destroy());
    reporter ??= openDoor(live, start);
    // A page that cannot be served must not end what it shows.
    serve(reporter, socket).catch(() => socket.destroy());
  };
  const opening = setTimeout(() => {
    void openBeacon(runtimeFolder(start), connect).then((beacon) =>
      onShutdown(() => beacon[Symbol.dispose]()),
    );
  }, OPEN_AFTER_MS);
  onShutdown(() => clearTimeout(opening));
}

/** Loaded when somebody connects. */
async function openDoor(
  live: LiveProcess,
  start: Pick<ServerSetup, 'environment' | 'home'>,
): Promise<{ readonly door: Door; readonly pages: PageReporter }> {
  const { Door } = await import('../watch/admit-page.js');
  const { doorFolder } = await import('../watch/door-key.js');
  const { PageReporter } = await import('../watch/report-to-page.js');
  const children = (): readonly number[] =>
    live.children.flatMap((each) => each.list().map(({ pid }) => pid));
  return { door: new Door({ folder: doorFolder(start), children }), pages: new PageReporter(live) };
}

async function serve(
  opening: Promise<{ readonly door: Door; readonly pages: PageReporter }>,
  socket: Socket,
): Promise<void> {
  const { door, pages } = await opening;
  if (!(await door.admit(socket))) return;
  pages.connect(socket);
  socket.resume();
}
