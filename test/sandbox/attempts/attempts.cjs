// Attempts to get out, in Node. Prints "NAME 1" for each that succeeded and "NAME 0" for each that did not.
// Aims only at what the test itself made; where that is comes in variables that begin with A_.
const { execFileSync, spawn, spawnSync } = require('node:child_process');
const dgram = require('node:dgram');
const fs = require('node:fs');
const http = require('node:http');
const net = require('node:net');
const { Worker } = require('node:worker_threads');

const env = process.env;
const out = env.A_OUT;
const root = env.A_ROOT;
const victim = Number(env.A_VICTIM);
const text = (path) => fs.readFileSync(path, 'utf8').includes('secret');
const connects = (where) =>
  new Promise((resolve, reject) => {
    const socket = net.connect(where, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', reject);
  });
const done = () => true;

const ATTEMPTS = {
  read: (f) => text(f),
  'read-async': async (f) => (await fs.promises.readFile(f, 'utf8')).includes('secret'),
  'read-stream': async (f) => {
    for await (const chunk of fs.createReadStream(f, 'utf8')) if (chunk.includes('secret')) return true;
    return false;
  },
  'read-worker': (f) =>
    new Promise((resolve, reject) => {
      const code = `require('node:worker_threads').parentPort.postMessage(require('node:fs').readFileSync(${JSON.stringify(f)}, 'utf8'))`;
      const worker = new Worker(code, { eval: true });
      worker.once('message', (data) => resolve(data.includes('secret')));
      worker.once('error', reject);
    }),
  'read-child': (f) => execFileSync('cat', [f], { stdio: ['ignore', 'pipe', 'ignore'] }).includes('secret'),
  'read-through-link': (f) => {
    fs.symlinkSync(f, `${root}/node-link`);
    return text(`${root}/node-link`);
  },
  require: (f) => require(`${f}.cjs`) === 'secret',
  import: async (f) => (await import(`${f}.cjs`)).default === 'secret',
  list: (f, d) => fs.readdirSync(d).includes('inner.txt'),
  'list-deep': () => fs.readdirSync(out, { recursive: true }).some((name) => name.endsWith('inner.txt')),
  'open-folder': (f, d) => {
    const folder = fs.opendirSync(d);
    const { name } = folder.readSync();
    folder.closeSync();
    return name === 'inner.txt';
  },
  glob: (f) => fs.existsSync(f),
  stat: (f) => fs.statSync(f).size > 0,
  'link-stat': (f) => fs.lstatSync(f).size > 0,
  'real-path': (f) => fs.realpathSync.native(f) === f,
  'read-link': () => fs.readlinkSync(`${out}/link`) === 'target-secret',
  watch: (f) => {
    fs.watch(f).close();
    return true;
  },
  'change-folder': (f, d) => {
    process.chdir(d);
    process.chdir(root);
    return true;
  },
  write: (f) => fs.writeFileSync(f, 'x') === undefined,
  append: (f) => fs.appendFileSync(f, 'x') === undefined,
  create: (f) => fs.writeFileSync(`${f}.new`, 'x', { flag: 'wx' }) === undefined,
  'create-folder': (f, d) => fs.mkdirSync(`${d}/new`) === undefined,
  'create-temporary': (f, d) => fs.mkdtempSync(`${d}/new-`) !== '',
  'copy-in': (f) => fs.copyFileSync(f, `${root}/node-copy`) === undefined && text(`${root}/node-copy`),
  'copy-out': (f) => fs.copyFileSync(`${root}/attempts.cjs`, `${f}.new`) === undefined,
  'copy-folder': (f, d) =>
    fs.cpSync(d, `${root}/node-folder`, { recursive: true }) === undefined &&
    text(`${root}/node-folder/inner.txt`),
  remove: (f) => fs.rmSync(f) === undefined,
  'remove-folder': (f, d) =>
    fs.rmSync(d, { recursive: true }) === undefined && !fs.existsSync(`${d}/inner.txt`),
  rename: (f) => fs.renameSync(f, `${f}.new`) === undefined,
  'hard-link': (f) => fs.linkSync(f, `${root}/node-hard`) === undefined && text(`${root}/node-hard`),
  link: (f) => fs.symlinkSync('/nowhere', `${f}.new`) === undefined,
  truncate: (f) => fs.truncateSync(f) === undefined,
  chmod: (f) => fs.chmodSync(f, 0o644) === undefined,
  chown: (f) => fs.chownSync(f, process.getuid(), process.getgid()) === undefined,
  times: (f) => fs.utimesSync(f, 1, 1) === undefined,
  'link-times': (f) => fs.lutimesSync(f, 1, 1) === undefined,
  execute: (f) => spawnSync(`${f}.run`).status === 0,
  credentials: () => text(`${env.A_HOME}/.aws/credentials`),
  'credentials-proc': () => text(`/proc/self/root${env.A_HOME}/.aws/credentials`),
  'shell-start': () => fs.appendFileSync(`${env.A_HOME}/.bashrc`, 'x') === undefined,
  tcp: () => connects({ host: '127.0.0.1', port: Number(env.A_TCP) }),
  http: () =>
    new Promise((resolve, reject) => {
      http.get({ host: '127.0.0.1', port: Number(env.A_HTTP) }, () => resolve(true)).once('error', reject);
    }),
  fetch: async () => (await fetch(`http://127.0.0.1:${env.A_HTTP}/`)).ok,
  udp: () =>
    new Promise((resolve, reject) => {
      const socket = dgram.createSocket('udp4');
      socket.once('error', reject);
      socket.once('message', () => {
        socket.close();
        resolve(true);
      });
      socket.send('node-udp', Number(env.A_UDP), '127.0.0.1');
    }),
  socket: () => connects(env.A_SOCKET),
  'socket-abstract': () => connects(`\0${env.A_ABSTRACT}`),
  environ: () => text(`/proc/${victim}/environ`),
  descriptor: () => text(`/proc/${victim}/fd/${env.A_VICTIM_FD}`),
  signal: () => process.kill(victim, 'SIGUSR1'),
  'signal-probe': () => process.kill(victim, 0),
  'shared-memory': () => text(env.A_SHM),
  'inherited-descriptor': () => {
    const bytes = Buffer.alloc(100);
    return fs.readSync(50, bytes, 0, 100, 0) > 0 && bytes.includes('secret');
  },
  outlive: () => {
    spawn('sleep', ['30.175'], { detached: true, stdio: 'ignore' }).unref();
    return done();
  },
};

void (async () => {
  for (const [name, attempt] of Object.entries(ATTEMPTS)) {
    const full = `node-${name}`;
    let got = false;
    try {
      // A packet that nobody answers is no error.
      const late = new Promise((resolve) => {
        setTimeout(() => resolve(false), Number(env.A_WAIT_MS)).unref();
      });
      got = await Promise.race([attempt(`${out}/${full}.txt`, `${out}/${full}.d`), late]);
    } catch (error) {
      if (env.A_WHY) console.error(full, error.message);
    }
    console.log(`${full} ${got ? 1 : 0}`);
  }
  process.exit(0);
})();
