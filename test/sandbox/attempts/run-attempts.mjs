// Runs every attempt without a sandbox and in each one that is asked for, and prints what got through as JSON.
// usage: node run-attempts.mjs WORLD CONFIGURATIONS. Started in namespaces of its own where the user is root.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openSandbox } from '@rootward/sandbox';

const here = fileURLToPath(new URL('.', import.meta.url));
const [world = '', configurations = '[]'] = process.argv.slice(2);
const python = process.env.A_PYTHON ?? 'python3';
const PROGRAMS = [
  { file: 'attempts.sh', command: '/bin/bash' },
  { file: 'attempts.py', command: python },
  { file: 'attempts.cjs', command: process.execPath },
];
const OUTLIVING = {
  30.171: 'sh-outlive-session',
  30.172: 'sh-outlive-twice',
  30.174: 'py-outlive',
  30.175: 'node-outlive',
};
const MAX_VANISHING_MS = 10_000;
/** Where answers come at all, a busy machine takes its time; in a network of its own nobody answers. */
const MAX_ANSWER_MS = 120_000;
const MAX_SILENCE_MS = 1000;
const SENT = ['sh-udp', 'sh-tcp', 'py-udp', 'py-udp-connected', 'py-tcp-fast-open'];
const FOREIGN_USER = 12_345;

function names() {
  const shell = fs.readFileSync(join(here, 'attempts.sh'), 'utf8').matchAll(/\btry ([a-z-]+) a$/gm);
  const listed = JSON.parse(fs.readFileSync(join(here, 'attempts.json'), 'utf8')).map(({ name }) => name);
  return new Set([...[...shell].map(([, name]) => name), ...listed]);
}

/** Everything the attempts aim at, new for each run. */
function build(base) {
  const put = (path, content, mode = 0o600) => {
    const file = join(base, path);
    fs.mkdirSync(join(file, '..'), { recursive: true });
    fs.writeFileSync(file, content);
    fs.chmodSync(file, mode);
    return file;
  };
  for (const name of [...names(), 'victim']) {
    put(`out/${name}.txt`, 'secret=1\n');
    if (name.includes('execute')) put(`out/${name}.txt.run`, fs.readFileSync('/bin/true'), 0o700);
    put(`out/${name}.txt.cjs`, "module.exports = 'secret';\n");
    put(`out/${name}.d/inner.txt`, 'secret\n');
  }
  fs.symlinkSync('target-secret', join(base, 'out/link'));
  for (const path of ['.ssh/id_test', '.aws/credentials', '.netrc', '.bashrc'])
    put(`home/${path}`, 'secret\n');
  put('tools/tool.sh', 'secret\n');
  for (const path of ['project/tools/tool.sh', '.rootward.json', '.git/hooks/pre-commit'])
    put(`root/${path}`, 'kept\n');
  for (const path of ['denied.txt', 'denied2.txt', 'denied.d/inner.txt']) put(`root/${path}`, 'secret\n');
  for (const path of ['file.txt', 'gone.txt']) put(`read-only/${path}`, 'kept\n');
  fs.mkdirSync(join(base, 'root/mount'));
  for (const { file } of PROGRAMS) fs.copyFileSync(join(here, file), join(base, 'root', file));
  if (process.getuid() === 0) {
    fs.copyFileSync('/usr/bin/id', join(base, 'root/set-user-id'));
    fs.chownSync(join(base, 'root/set-user-id'), FOREIGN_USER, 0);
    fs.chmodSync(join(base, 'root/set-user-id'), 0o4755);
  }
}

async function startVictim(base, key) {
  // A number that no process in a namespace of its own will have, where ours is one, too.
  if (process.getuid() === 0) fs.writeFileSync('/proc/sys/kernel/ns_last_pid', '20000');
  const child = spawn(python, [join(here, 'victim.py'), join(base, 'out'), String(key)], {
    env: { ...process.env, VICTIM: 'secret' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface(child.stdout), 'line');
  const [A_VICTIM, A_VICTIM_FD, A_ADDRESS] = line.split(' ');
  return { child, variables: { A_VICTIM, A_VICTIM_FD, A_ADDRESS } };
}

/** Sockets that somebody outside would listen on. Each counts who came, by what they sent. */
async function listen(base, id) {
  const came = new Set();
  const stream = () =>
    createServer((socket) =>
      socket.on('error', () => undefined).on('data', (data) => came.add(String(data).trim())),
    );
  const servers = [
    stream(),
    stream(),
    stream(),
    stream(),
    createHttpServer((_, response) => response.end('x')),
  ];
  const [path, abstract, tcp, tcp6, http] = servers;
  path.listen(join(base, 'out/path.sock'));
  abstract.listen(`\0${id}`);
  tcp.listen(0, '127.0.0.1');
  tcp6.listen(0, '::1');
  http.listen(0, '127.0.0.1');
  const udp = createSocket('udp4', (data, { port, address }) => {
    came.add(String(data).trim());
    udp.send('answer', port, address);
  });
  udp.bind(0, '127.0.0.1');
  await Promise.all([...servers, udp].map((server) => once(server, 'listening')));
  return {
    came,
    close: () => {
      for (const server of servers) server.close();
      http.closeAllConnections();
      udp.close();
    },
    variables: {
      A_SOCKET: join(base, 'out/path.sock'),
      A_DATAGRAM: join(base, 'out/datagram.sock'),
      A_ABSTRACT: id,
      A_ABSTRACT_PYTHON: `${base}/out`,
      A_TCP: String(tcp.address().port),
      A_TCP6: String(tcp6.address().port),
      A_HTTP: String(http.address().port),
      A_UDP: String(udp.address().port),
    },
  };
}

/** Those of our processes that are still there when the program that started them is gone. */
async function takeOutliving(base, mayVanish) {
  // The kernel ends a namespace when its first process ends, and takes a moment for it.
  const deadline = performance.now() + (mayVanish ? MAX_VANISHING_MS : 0);
  let found = outlivingNow(base);
  while (found.length > 0 && performance.now() < deadline) {
    await new Promise((resolve) => setImmediate(resolve));
    found = outlivingNow(base);
  }
  for (const { pid } of found) process.kill(pid, 'SIGKILL');
  return found.map(({ name }) => name);
}

/** Other runs on this machine start the same programs; ours have our folder in their environment. */
function outlivingNow(base) {
  const found = [];
  for (const pid of fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const marker = /\b30\.17\d/.exec(fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8'))?.[0];
      if (marker === undefined || !fs.readFileSync(`/proc/${pid}/environ`, 'utf8').includes(base)) continue;
      found.push({ pid: Number(pid), name: OUTLIVING[marker] });
    } catch {
      // It has just ended, or belongs to somebody else.
    }
  }
  return found;
}

async function run({ level, backend }) {
  const base = fs.mkdtempSync(join(world, 'run-'));
  // Not from process ids: in a namespace of its own, each run has the same.
  const id = basename(world);
  const key = 0x52_57_00_00 + createHash('sha256').update(id).digest().readUInt16BE();
  build(base);
  const tmp = fs.mkdtempSync('/tmp/rootward-attempts-');
  fs.writeFileSync(join(tmp, 'secret.txt'), 'secret');
  const shm = `/dev/shm/${id}`;
  fs.writeFileSync(shm, 'secret');
  const victim = await startVictim(base, key);
  const listening = await listen(base, id);
  const root = join(base, 'root');
  const env = {
    PATH: process.env.PATH,
    HOME: join(base, 'home'),
    A_OUT: join(base, 'out'),
    A_ROOT: root,
    A_HOME: join(base, 'home'),
    A_TOOLS: join(base, 'tools'),
    A_READ_ONLY: join(base, 'read-only'),
    A_TMP: tmp,
    A_SHM: shm,
    A_KEY: String(key),
    A_WAIT_MS: String(backend === 'bubblewrap' ? MAX_SILENCE_MS : MAX_ANSWER_MS),
    ...(process.env.A_WHY && { A_WHY: process.env.A_WHY }),
    ...victim.variables,
    ...listening.variables,
  };
  const sandbox = await openSandbox({ level, backend, environment: env });
  const results = {};
  for (const { file, command } of PROGRAMS) {
    const start = {
      command,
      args: [join(root, file)],
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'inherit', 'ignore'],
    };
    const plan = sandbox?.plan({
      roots: [
        { path: root, kind: 'directory', access: 'read-write', broad: false },
        { path: join(base, 'read-only'), kind: 'directory', access: 'read-only', broad: false },
      ],
      program: command,
      denied: [
        { path: join(root, 'denied.txt'), kind: 'file', why: 'rule' },
        { path: join(root, 'denied2.txt'), kind: 'file', why: 'rule' },
        { path: join(root, 'denied.d'), kind: 'directory', why: 'rule' },
      ],
      fixed: ['project/tools', '.rootward.json', '.git/hooks'].map((path) => join(root, path)),
    });
    const child = sandbox?.child(plan, { incomplete: true });
    const spawnable = child?.command(start) ?? start;
    const started = spawn(spawnable.command, spawnable.args, spawnable);
    spawnable.spawned?.();
    let output = '';
    started.stdout.on('data', (data) => (output += data));
    await once(started, 'exit');
    await new Promise((resolve) => setImmediate(resolve));
    const outliving = await takeOutliving(base, sandbox?.guarantee === 'full');
    if (!started.stdout.readableEnded) await once(started.stdout, 'close');
    await child?.dispose();
    for (const line of output.trim().split('\n')) {
      const [name, got] = line.split(' ');
      const isOutliving = Object.values(OUTLIVING).includes(name);
      results[name] = isOutliving ? outliving.includes(name) : got === '1';
    }
  }
  // Only who listens knows: what is sent to nobody is sent without an error.
  for (const name of SENT) results[name] = listening.came.has(name);
  sandbox?.dispose();
  victim.child.stdin.end();
  await once(victim.child, 'exit');
  listening.close();
  fs.rmSync(tmp, { recursive: true });
  fs.rmSync(shm);
  return results;
}

const all = [];
for (const configuration of JSON.parse(configurations)) all.push(await run(configuration));
console.log(JSON.stringify(all));
process.exit(0);
