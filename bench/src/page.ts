import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';
import { whileAwake } from './awake.js';
import { alternate, compare } from './measure.js';
import type { Row, Section } from './row.js';
import { StdioServer } from './stdio-server.js';

const require = createRequire(import.meta.url);
const OURS = join(dirname(require.resolve('rootward/package.json')), 'dist/rootward.cjs');
const BROWSER = '/usr/bin/chromium';
const BROWSER_ARGS = ['--headless', '--no-sandbox', '--disable-gpu'];
const BATCHES = { batches: 401, perBatch: 20, warmUpMs: 2000 };
const CALLS = 41;

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
async function reading(place: Place, what: string): Promise<Row> {
  const { folder, file, environment } = place;
  const nowhere = { ...environment, XDG_RUNTIME_DIR: '/nonexistent' };
  const servers = [
    new StdioServer([OURS, folder], [], environment),
    new StdioServer([OURS, folder], [], nowhere),
  ] as const;
  try {
    await Promise.all(servers.map((server) => server.initialize()));
    const reads = servers.map((server) => () => server.call('read_text_file', { path: file }));
    const [ours = 0, peer = 0] = await compare(reads, BATCHES);
    return { what, unit: 'µs', ours, peer, goal: 1.03 };
  } finally {
    await Promise.all(servers.map((server) => server.close()));
  }
}

/** What a page gets, without the browser that draws it: the machine has two processors, and both are taken. */
async function readingWatched(place: Place): Promise<Row> {
  return withUi(place, async (address) => {
    const headers = { authorization: `Bearer ${address.hash.slice(1)}` };
    const stream = get(`${address.origin}/stream`, { headers });
    stream.on('response', (response) => response.resume());
    await once(stream, 'response');
    try {
      return await reading(place, 'read_text_file of 1 KB, a page open');
    } finally {
      stream.destroy();
    }
  });
}

/** From when the client has its answer to when the decision is on the page, in Chromium. */
async function seeing(place: Place): Promise<Row> {
  return withUi(place, async (address) => {
    const browser = await chromium.launch({ executablePath: BROWSER, args: BROWSER_ARGS });
    const server = new StdioServer([OURS, place.folder], [], place.environment);
    try {
      await server.initialize();
      const page = await browser.newPage();
      await page.goto(address.href);
      await page.getByText('bench 1.0.0').waitFor();
      await page.getByRole('navigation').getByRole('button', { name: 'Decisions' }).click();
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
    } finally {
      await server.close();
      await browser.close();
    }
  });
}

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
      await reading(place, 'read_text_file of 1 KB, no page open'),
      await readingWatched(place),
    ]);
    const seen = existsSync(BROWSER) ? [await seeing(place)] : [];
    return { title: 'The page', peer: 'ours, without a socket', rows: [...rows, ...seen] };
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}
