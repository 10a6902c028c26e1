// What it costs when an instance dies and the streams of its clients are taken up by another that has just started:
// `node scripts/measurements/resume-streams.mjs [clients]`, after `npm run build`. Needs redis-server on PATH, and Linux.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const PROGRAM = fileURLToPath(new URL('../../packages/server/dist/rootward.cjs', import.meta.url));
const CLIENTS = Number(process.argv[2] ?? 300);
const TICK_MS = 10;
const LOOK_MS = 250;
const TOKEN = 't'.repeat(40);
const RECONNECT = {
  initialReconnectionDelay: 50,
  maxReconnectionDelay: 500,
  reconnectionDelayGrowFactor: 1.5,
  maxRetries: 100,
};

const place = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-resume-')));
const socket = join(place, 'redis.sock');
const children = [];

function start(command, args, env = {}) {
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  children.push(child);
  return child;
}

async function until(child, pattern) {
  let text = '';
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    text += chunk;
    const found = pattern.exec(text);
    if (found !== null) return found;
  }
  throw new Error(`It ended before it was ready:\n${text}`);
}

async function startInstance(port) {
  const args = [place, '--http', String(port), '--store', `unix://${socket}`, '--log-level', 'silent'];
  const env = { ROOTWARD_TOKEN: TOKEN, ROOTWARD_HANDLE_KEY: 'k'.repeat(64) };
  const child = start(process.execPath, [PROGRAM, ...args], env);
  const [, url] = await until(child, /serves MCP at (http:\S+)/);
  return { child, url };
}

/** Milliseconds of processor time so far. */
function timeOf({ pid }) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

async function connect(url, index) {
  const root = join(place, `client-${index}`);
  mkdirSync(root);
  writeFileSync(join(root, 'name.txt'), root);
  const capabilities = { roots: {} };
  const client = new Client(
    { name: 'client', version: '1' },
    { capabilities, versionNegotiation: { mode: 'legacy' } },
  );
  client.setRequestHandler('roots/list', () => ({ roots: [{ uri: pathToFileURL(root).href }] }));
  const requestInit = { headers: { Authorization: `Bearer ${TOKEN}` } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit, reconnectionOptions: RECONNECT }),
  );
  await client.callTool({ name: 'read_text_file', arguments: { path: join(root, 'name.txt') } });
  return client;
}

/** Until all streams are there and nothing is left to do. */
async function settle(child) {
  for (let before = -1; ;) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    const now = timeOf(child);
    if (now - before <= TICK_MS && readdirSync(`/proc/${child.pid}/fd`).length > CLIENTS) return;
    before = now;
  }
}

try {
  await until(
    start('redis-server', ['--port', '0', '--unixsocket', socket, '--save', '']),
    /ready to accept/i,
  );
  const first = await startInstance(0);
  for (let index = 0; index < CLIENTS; index++) await connect(first.url, index);
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');
  const second = await startInstance(new URL(first.url).port);
  const [before, begun] = [timeOf(second.child), performance.now()];
  await settle(second.child);
  const each = (timeOf(second.child) - before) / CLIENTS;
  const wall = Math.round(performance.now() - begun - LOOK_MS);
  console.log(`${CLIENTS} streams: ${each.toFixed(2)} ms of processor time each, all there after ${wall} ms`);
} finally {
  for (const child of children) child.kill('SIGKILL');
  rmSync(place, { recursive: true, force: true });
}
process.exit();
