// How many of our own files and functions run for one warm event: node scripts/measurements/warm-files.mjs [--list] [--json]
// (needs a build). V8 counts them, in the compiled files as they are before they are bundled. Exits with 1 beyond a goal.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const TOP = here('../../');
const TIMES = 6;
const READ_GOAL = { files: 30, functions: 100 };
const CHANGE_GOAL = { files: 30 };
const WRAP_GOAL = { files: 25 };
/** A change of roots has no answer that would say that all is done. */
const SETTLE_MS = 500;

if (process.send !== undefined) await countInside();
else await countAll();

/** The program that is measured: rootward from its compiled files, which starts and stops counting when it is told. */
async function countInside() {
  const session = new Session();
  session.connect();
  process.on('message', async (order) => {
    if (order === 'start') {
      await session.post('Profiler.enable');
      await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
      process.send({});
      return;
    }
    // Each look counts from zero.
    const { result } = await session.post('Profiler.takePreciseCoverage');
    if (order === 'stop') await session.post('Profiler.stopPreciseCoverage');
    process.send({ result: result.filter(({ url }) => url.startsWith('file:')) });
  });
  process.channel.unref();
  const { main } = await import('../../packages/server/dist/cli/main.js');
  await main(here('../../packages/server/bin/rootward.cjs'));
}

/** One client with a folder of its own, and the program it talks to. */
async function open(args, cwd, own = {}) {
  const { ScriptedClient } = await import('../../packages/mcp/dist/testing/index.js');
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), ...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: join(cwd, 'home') },
    stdio: ['pipe', 'pipe', 'ignore', 'ipc'],
  });
  const ended = once(child, 'exit').then(() => undefined);
  const client = new ScriptedClient({ input: child.stdout, output: child.stdin, ended }, own);
  await client.connect();
  const tell = async (order) => {
    child.send(order);
    return (await once(child, 'message'))[0];
  };
  /** The start takes long enough for timers and questions to be due, so that one event goes before. */
  const count = async (event) => {
    await tell('start');
    await event();
    await tell('look');
    await event();
    return summary((await tell('stop')).result);
  };
  const end = async () => {
    child.stdin.end();
    await ended;
  };
  return { client, count, end };
}

/** Files and functions of our packages that ran; a file itself counts as no function. */
function summary(scripts) {
  const files = new Map();
  for (const { url, functions } of scripts) {
    const path = fileURLToPath(url).slice(TOP.length);
    if (!/^packages\/[^/]+\/dist\//.test(path)) continue;
    const ran = functions.filter(
      ({ functionName, ranges: [range] }) =>
        range.count > 0 && !(functionName === '' && range.startOffset === 0),
    );
    if (ran.length > 0) files.set(path.replace('/dist/', '/src/').replace(/\.js$/, '.ts'), ran.length);
  }
  return files;
}

async function countAll() {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-warm-')));
  const [one, two] = ['one', 'two'].map((name) => join(top, name));
  for (const folder of [one, two]) mkdirSync(folder);
  const path = join(one, 'a.txt');
  writeFileSync(path, 'one line\n');
  const { answering } = await import('../../packages/mcp/dist/testing/index.js');
  const rootsOf = (...paths) => answering(paths.map((each) => ({ uri: pathToFileURL(each).href })));
  const change = async (client, turn) => {
    const asked = client.asked.length;
    client.changeRoots(turn % 2 === 0 ? rootsOf(one, two) : rootsOf(one));
    await client.until(() => client.asked.length > asked);
    await sleep(SETTLE_MS);
  };
  const inner = here('../../test/wrap/fixtures/inner-server.mjs');
  const wrapped = ['wrap', '--', process.execPath, inner];
  try {
    print([
      [
        'warm read_text_file',
        READ_GOAL,
        await measure([], 30, (client) => client.callTool('read_text_file', { path })),
      ],
      ['one root change', CHANGE_GOAL, await measure([], 4, change)],
      [
        'one wrapped call',
        WRAP_GOAL,
        await measure(wrapped, 30, (client) => client.callTool('echo', { value: 'x' })),
      ],
    ]);
  } finally {
    rmSync(top, { recursive: true, force: true });
  }

  /** The event that ran the fewest files: others share their time with work in the background. */
  async function measure(args, warmUp, event) {
    const program = await open(args, top, { roots: rootsOf(one), listChanged: true });
    try {
      for (let turn = 0; turn < warmUp; turn++) await event(program.client, turn);
      await sleep(SETTLE_MS);
      const counted = [];
      let changes = 0;
      for (let turn = 0; turn < TIMES; turn++)
        counted.push(await program.count(() => event(program.client, changes++)));
      return counted.sort((some, other) => some.size - other.size)[0];
    } finally {
      await program.end();
    }
  }
}

function print(events) {
  const rows = events.map(([event, goal, files]) => ({
    event,
    files: files.size,
    functions: [...files.values()].reduce((sum, count) => sum + count, 0),
    goal,
    ran: Object.fromEntries([...files].sort(([a], [b]) => (a < b ? -1 : 1))),
  }));
  if (process.argv.includes('--json')) {
    process.stdout.write(`${JSON.stringify(rows, undefined, 2)}\n`);
  } else {
    process.stdout.write('| event | own files | functions |\n|---|---:|---:|\n');
    for (const { event, files, functions, goal } of rows) {
      const limit = goal.functions === undefined ? '' : ` (goal ${goal.functions})`;
      process.stdout.write(`| ${event} | ${files} (goal ${goal.files}) | ${functions}${limit} |\n`);
    }
    if (process.argv.includes('--list'))
      for (const { event, ran } of rows) {
        process.stdout.write(`\n${event}\n`);
        for (const [path, count] of Object.entries(ran))
          process.stdout.write(`${String(count).padStart(4)} ${path}\n`);
      }
  }
  const isBeyond = rows.some(
    ({ files, functions, goal }) => files > goal.files || functions > (goal.functions ?? functions),
  );
  process.exitCode = isBeyond ? 1 : 0;
}
