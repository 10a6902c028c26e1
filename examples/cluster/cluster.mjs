// Starts Redis, three instances of rootward and a balancer on this machine, kills two instances in the middle of the work,
// and shows that nothing was lost: `node examples/cluster/cluster.mjs`. Needs redis-server on PATH.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const PROGRAM = here('../../packages/server/bin/rootward.cjs');
const place = mkdtempSync(join(tmpdir(), 'rootward-cluster-'));
const project = join(place, 'project');
mkdirSync(project);
writeFileSync(join(project, 'hello.txt'), 'still here');
const children = new Set();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(place, { recursive: true, force: true });
});

function start(command, args, env = {}) {
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  children.add(child);
  return child;
}

/** What a program says before it is ready. */
async function until(child, pattern) {
  let text = '';
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    text += chunk;
    const found = pattern.exec(text);
    if (found !== null) return found;
  }
  throw new Error(`It ended before it was ready:\n${text}`);
}

const socket = join(place, 'redis.sock');
const redis = start('redis-server', ['--port', '0', '--unixsocket', socket, '--save', '']);
await until(redis, /ready to accept connections/i);
console.log('Redis is ready');

const TOKEN = randomBytes(32).toString('hex');
const env = { ROOTWARD_TOKEN: TOKEN, ROOTWARD_HANDLE_KEY: randomBytes(32).toString('hex') };
async function startInstance(index) {
  const child = start(
    process.execPath,
    [PROGRAM, place, '--http', '0', '--store', `unix://${socket}`, '--log-level', 'silent'],
    env,
  );
  const [, port] = await until(child, /serves MCP at http:\/\/127\.0\.0\.1:(\d+)/);
  console.log(`Instance ${index} listens on port ${port}`);
  return { child, port };
}
const instances = await Promise.all([1, 2, 3].map(startInstance));
const balancer = start(process.execPath, [here('balancer.mjs'), ...instances.map(({ port }) => port)]);
const [url] = await until(balancer, /http:\S+/);

const client = new Client(
  { name: 'example', version: '1.0.0' },
  { capabilities: { roots: {} }, versionNegotiation: { mode: 'legacy' } },
);
client.setRequestHandler('roots/list', () => ({ roots: [{ uri: pathToFileURL(project).href }] }));
const transport = new StreamableHTTPClientTransport(new URL(url), {
  requestInit: { headers: { Authorization: `Bearer ${TOKEN}` } },
});
await client.connect(transport);
const session = transport.sessionId;

let calls = 0;
let retried = 0;
async function read() {
  for (;;) {
    try {
      const { content } = await client.callTool({ name: 'read_text_file', arguments: { path: 'hello.txt' } });
      if (content[0].text !== 'still here') throw new Error(`Wrong answer: ${content[0].text}`);
      calls += 1;
      return;
    } catch (error) {
      // A request that was under way when its instance died is the client's to send again.
      if (!/Try again|fetch failed|terminated|send the request again/.test(String(error))) throw error;
      retried += 1;
    }
  }
}
for (let round = 0; round < 30; round++) await read();
console.log(`${calls} calls answered by three instances in turn`);
for (const { child, port } of instances.slice(0, 2)) {
  child.kill('SIGKILL');
  await once(child, 'exit');
  for (let round = 0; round < 30; round++) await read();
  console.log(`Killed the instance on port ${port}: ${calls} calls answered so far, ${retried} sent again`);
}
if (transport.sessionId !== session) throw new Error('The session was lost');
console.log('The session, its roots and every answer are still there.');
process.exit(0);
