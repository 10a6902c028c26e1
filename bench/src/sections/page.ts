import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { chromium, type Page } from 'playwright-core';
import { whileAwake } from '../awake.js';
import { alternate, compare } from '../measure.js';
import type { FollowerMessage } from '../page-follower.js';
import type { Row, Section } from '../row.js';
import { StdioServer } from '../stdio-server.js';
import { OURS } from '../peer.js';

const BROWSER = '/usr/bin/chromium';
const BROWSER_ARGS = ['--headless', '--no-sandbox', '--disable-gpu'];
const BATCHES = { batches: 301, perBatch: 20, warmUpMs: 1500 };
/** Pairs of servers. */
const ROUNDS = 5;
const CHECKS = 100;
const CHECK_MS = 100;
const CALLS = 41;
const STARTS = 61;

interface Place {
  readonly folder: string;
  readonly file: string;
  readonly environment: NodeJS.ProcessEnv;
}

async function withUi<Result>(
  { environment }: Place,
  use: (address: URL) => Promise<Result>,
): Promise<Result> {
  const ui = spawn(process.execPath, [OURS, 'ui', '--port', '0'], {
    env: environment,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    for await (const line of createInterface({ input: ui.stdout })) {
      const address = /http:\S+/.exec(line)?.[0];
      if (address !== undefined) return await use(new URL(address));
    }
    throw new Error('Cannot measure the page: it printed no address');
  } finally {
    ui.kill();
  }
}

/** The same server twice: one that pages can find, and one that has no place for its socket. */
async function withPair<Result>(
  { folder, environment }: Place,
  use: (seen: StdioServer, unseen: StdioServer) => Promise<Result>,
): Promise<Result> {
  const nowhere = { ...environment, XDG_RUNTIME_DIR: '/nonexistent' };
  const seen = new StdioServer([OURS, folder], [], environment);
  const unseen = new StdioServer([OURS, folder], [], nowhere);
  try {
    await Promise.all([seen.initialize(), unseen.initialize()]);
    return await use(seen, unseen);
  } finally {
    await Promise.all([seen.close(), unseen.close()]);
  }
}

/** Two processes of one program differ by a few percent, for as long as they run: several pairs tell that apart. */
async function reading(place: Place): Promise<Row> {
  const pairs: Pair[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const { times } = await withPair(place, (...servers) => compareReads(place, servers));
    pairs.push({ ours: times[0], peer: times[1] });
  }
  return { what: 'read_text_file of 1 KB, no page open', unit: 'µs', ...middle(pairs), goal: 1.03 };
}

/**
 * What a server takes with a page open, and what it would take without: as long as before the page came, and slower or
 * faster by as much as its twin became meanwhile. Fails where the page does not get every decision.
 */
async function readingWatched(place: Place): Promise<Row[]> {
  const times: Pair[] = [];
  const processor: Pair[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await withPair(place, async (seen, unseen) => {
      const before = await compareReads(place, [seen, unseen]);
      await withUi(place, async (address) => {
        await using follower = await Follower.start(address, seen.pid);
        const watched = await compareReads(place, [seen, unseen], () => follower.expect());
        await follower.check();
        times.push(asWithout(before.times, watched.times));
        processor.push(asWithout(before.processor, watched.processor));
      });
    });
  }
  const peerName = 'ours, before the page';
  const rows: Row[] = [
    {
      what: 'read_text_file of 1 KB, a page open, with the page and who reads it on the same processors',
      unit: 'µs',
      ...middle(times),
      peerName,
    },
  ];
  const used = middle(processor);
  if (Number.isNaN(used.ours)) return rows;
  const what = 'processor time of the server for it';
  return [...rows, { what, unit: 'µs', ...used, peerName, goal: 1.03 }];
}

function asWithout([before, twinBefore]: Both, [ours, twin]: Both): Pair {
  return { ours, peer: before * (twin / twinBefore) };
}

interface Pair {
  readonly ours: number;
  readonly peer: number;
}

/** The pair whose ratio is in the middle. */
function middle(pairs: readonly Pair[]): Pair {
  const sorted = pairs.toSorted((one, other) => one.ours / one.peer - other.ours / other.peer);
  return sorted[Math.floor(sorted.length / 2)] ?? { ours: Number.NaN, peer: Number.NaN };
}

/** Of the first server and of the second, in microseconds for each read. */
type Both = readonly [first: number, second: number];

/** Tells of each read of the first server. */
async function compareReads(
  { file }: Place,
  servers: readonly [StdioServer, StdioServer],
  onRead: () => void = () => undefined,
): Promise<{ readonly times: Both; readonly processor: Both }> {
  const reads = [0, 0];
  const used = servers.map((server) => server.processorMicroseconds());
  const candidates = servers.map((server, index) => (): Promise<unknown> => {
    reads[index] = (reads[index] ?? 0) + 1;
    if (index === 0) onRead();
    return server.call('read_text_file', { path: file });
  });
  const [first = 0, second = 0] = await compare(candidates, BATCHES);
  const [ofFirst = 0, ofSecond = 0] = servers.map(
    (server, index) => (server.processorMicroseconds() - (used[index] ?? 0)) / (reads[index] ?? 1),
  );
  return { times: [first, second], processor: [ofFirst, ofSecond] };
}

/**
 * What a page gets, without the browser that draws it: the machine has two processors, and both are taken. It has a
 * process of its own, as a browser has.
 */
class Follower {
  readonly #process: ChildProcess;
  #expected = 0;

  private constructor(child: ChildProcess) {
    this.#process = child;
  }

  static async start({ origin, hash }: URL, pid: number): Promise<Follower> {
    const program = new URL('../page-follower.js', import.meta.url);
    const follower = new Follower(fork(program, [origin, hash.slice(1), String(pid)]));
    await follower.#hear();
    return follower;
  }

  expect(): void {
    this.#expected += 1;
  }

  /** Waits until all decisions have come. */
  async check(): Promise<void> {
    let count = 0;
    for (let attempt = 0; attempt < CHECKS && count < this.#expected; attempt++) {
      await setTimeout(CHECK_MS);
      this.#process.send('count');
      count = await this.#hear();
    }
    if (count !== this.#expected)
      throw new Error(`Cannot measure the page: it got ${count} of ${this.#expected} decisions`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const gone = once(this.#process, 'exit');
    this.#process.kill();
    await gone;
  }

  async #hear(): Promise<number> {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it sends nothing else
    const [message] = (await once(this.#process, 'message')) as [FollowerMessage];
    return message.type === 'count' ? message.count : 0;
  }
}

/** From when the client has its answer to when the decision is on the page, in Chromium. */
async function seeing(place: Place): Promise<Row> {
  return withPage(place, async (page, server) => {
    let count = 0;
    const see = async (): Promise<number> => {
      const name = `seen-${(count += 1)}.txt`;
      writeFileSync(join(place.folder, name), 'x');
      await server.call('read_text_file', { path: name });
      const start = performance.now();
      await page.getByText(name, { exact: true }).waitFor();
      return performance.now() - start;
    };
    const [ours = 0] = await alternate([see], CALLS);
    return { what: 'a decision on the page, after the answer', unit: 'ms', ours, goal: 200 };
  });
}

/** A server, and the decisions of it on a page in Chromium. */
async function withPage<Result>(
  place: Place,
  use: (page: Page, server: StdioServer) => Promise<Result>,
): Promise<Result> {
  return withUi(place, async (address) => {
    const browser = await chromium.launch({ executablePath: BROWSER, args: BROWSER_ARGS });
    const server = new StdioServer([OURS, place.folder], [], place.environment);
    try {
      await server.initialize();
      const page = await browser.newPage();
      await page.goto(address.href);
      await page.getByText('bench 1.0.0').waitFor();
      await page.getByRole('navigation').getByRole('button', { name: 'Decisions' }).click();
      return await use(page, server);
    } finally {
      await server.close();
      await browser.close();
    }
  });
}

/** From the start of the process to its first answer: one that pages can find, and one that has no place for its socket. */
async function starting({ folder, environment }: Place): Promise<Row> {
  const nowhere = { ...environment, XDG_RUNTIME_DIR: '/nonexistent' };
  const start = [environment, nowhere].map((env) => async (): Promise<number> => {
    const begun = performance.now();
    const server = new StdioServer([OURS, folder], [], env);
    await server.initialize();
    const took = performance.now() - begun;
    await server.close();
    return took;
  });
  const [ours = 0, peer = 0] = await alternate(start, STARTS);
  return { what: 'start to the first answer, no page open', unit: 'ms', ours, peer, goal: 1.03 };
}

/** The longest frame while a list of 10,000 decisions is scrolled from end to end, in Chromium. */
async function scrolling(place: Place): Promise<Row> {
  return withPage(place, async (page, server) => {
    const paths = Array.from({ length: 500 }, (_, index) => `missing-${index}`);
    for (let round = 0; round < 20; round++) await server.call('read_multiple_files', { paths });
    await page.getByText('10000 of 10000').waitFor();
    const scroll = async (): Promise<number> => page.evaluate<number>(FRAME_SCRIPT);
    const [ours = 0] = await alternate([scroll], 11);
    return { what: 'longest frame, scrolling 10,000 decisions', unit: 'ms', ours, goal: 50 };
  });
}

/** Runs in the page. */
const FRAME_SCRIPT = `(async () => {
  const list = document.querySelector('[role=region][aria-label=Decisions]');
  let longest = 0;
  for (let frame = 1; frame <= 60; frame++) {
    list.scrollTo(0, (list.scrollHeight * frame) / 60);
    const start = performance.now();
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    longest = Math.max(longest, (performance.now() - start) / 2);
  }
  return longest;
})()`;

/** What it costs to be looked at. */
export async function benchPage(): Promise<Section> {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-bench-page-')));
  const folder = join(top, 'work');
  const runtime = join(top, 'run');
  mkdirSync(folder);
  mkdirSync(runtime, { mode: 0o700 });
  const file = join(folder, 'read.txt');
  writeFileSync(file, 'x'.repeat(1024));
  const environment = { ...process.env, HOME: top, XDG_RUNTIME_DIR: runtime };
  const place: Place = { folder, file, environment };
  try {
    const rows = await whileAwake(async () => [
      await reading(place),
      ...(await readingWatched(place)),
      await starting(place),
    ]);
    const seen = existsSync(BROWSER) ? [await seeing(place), await scrolling(place)] : [];
    return { title: 'The page', peer: 'ours, without a socket', rows: [...rows, ...seen] };
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}
