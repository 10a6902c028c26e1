import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OperatorLimits } from '@rootward/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../../../testing/eventually.js';
import { EventHub } from '../../src/audit/event-hub.js';
import { JsonLines } from '../../src/watch/json-lines.js';
import { LiveSessions, type LiveProcess, type LiveSession } from '../../src/watch/live-process.js';
import type { FromProcess } from '../../src/watch/protocol.js';
import { PageReporter } from '../../src/watch/report-to-page.js';
import { WaitingQuestions } from '../../src/watch/waiting-questions.js';

const top = mkdtempSync(join(tmpdir(), 'rootward-reporter-'));
const path = join(top, 's.sock');
const server = createServer();
const pages: Socket[] = [];
beforeAll(async () => {
  server.listen(path);
  await once(server, 'listening');
});
afterAll(() => {
  for (const page of pages) page.destroy();
  server.close();
  rmSync(top, { recursive: true });
});

function makeLive(): LiveProcess {
  return {
    transport: 'stdio',
    directory: '/',
    started: 0,
    events: new EventHub(),
    limits: new OperatorLimits(),
    sessions: new LiveSessions(),
    questions: new WaitingQuestions(),
    children: [],
    history: undefined,
  };
}

/** Both ends of a connection: of the page, and of the process that it shows. */
async function connectPage(): Promise<readonly [Socket, Socket]> {
  const connected = once(server, 'connection');
  const page = connect(path);
  pages.push(page);
  const [socket] = (await connected) as [Socket];
  return [page, socket];
}

/** Returns the paths of the decisions the page has so far. */
async function open(reporter: PageReporter): Promise<readonly string[]> {
  const [page, socket] = await connectPage();
  const paths: string[] = [];
  // oxlint-disable-next-line no-new -- it reads
  new JsonLines(page, (message) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the reporter sends nothing else
    const sent = message as FromProcess;
    if (sent.type === 'events') paths.push(...sent.events.map((event) => event.path));
  });
  reporter.connect(socket);
  return paths;
}

test('PageReporter sends each page every decision once, whenever it comes', async () => {
  const live = makeLive();
  const { events } = live;
  const reporter = new PageReporter(live);
  const expected: string[] = [];
  const decide = (count: number): void => {
    for (let index = 0; index < count; index++) {
      const name = String(expected.length);
      expected.push(name);
      events.record({ session: 's', tool: 'read', path: name, decision: 'allowed' });
    }
  };
  decide(3);
  const first = await open(reporter);
  decide(2);
  const second = await open(reporter);
  decide(1);
  await eventually(() => expect([first.length, second.length]).toEqual([6, 6]));
  decide(1000);
  const third = await open(reporter);
  decide(1);
  await eventually(() => expect(third).toHaveLength(expected.length));
  await eventually(() => expect([first, second, third]).toEqual([expected, expected, expected]));
});

test('a state that cannot be shown ends the pages, and nothing else', async () => {
  const live = makeLive();
  const reporter = new PageReporter(live);
  const [page, socket] = await connectPage();
  reporter.connect(socket);
  const ended = once(page.resume(), 'close');
  const broken = { id: 's', era: 'legacy', since: 0 } as unknown as LiveSession;
  live.sessions.show(broken);
  await ended;
  live.sessions.remove(broken);
  const [, again] = await connectPage();
  reporter.connect(again);
  expect(again.destroyed).toBe(false);
});

test('a page that does not read is let go before it fills the memory', async () => {
  const live = makeLive();
  const reporter = new PageReporter(live);
  const [page, socket] = await connectPage();
  page.pause();
  reporter.connect(socket);
  const ended = once(socket, 'close');
  const long = 'x'.repeat(1024 * 1024);
  let sent = 0;
  const sending = setInterval(() => {
    live.events.record({ session: 's', tool: 'read', path: long, decision: 'allowed' });
    sent += 1;
  }, 5);
  await ended;
  clearInterval(sending);
  expect(sent).toBeLessThan(1000);
});
