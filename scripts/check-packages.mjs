// Checks every package that is published as its users will find it (manifest, files and types), and that nothing in the
// repository is unused. One package after the other would leave all processors but one idle.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';

const PUBLINT = 'node_modules/publint/src/cli.js';
const ATTW = 'node_modules/@arethetypeswrong/cli/dist/index.js';
// Declared as CommonJS for those who require it: every Node that is supported can require an ES module.
const ATTW_OPTIONS = ['--profile', 'esm-only', '--ignore-rules', 'false-cjs'];

const published = readdirSync('packages')
  .map((name) => `packages/${name}`)
  .map((folder) => ({ folder, manifest: JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) }))
  .filter(({ manifest }) => manifest.private !== true);

const tarballs = mkdtempSync(join(tmpdir(), 'rootward-check-'));
process.on('exit', () => rmSync(tarballs, { recursive: true, force: true }));

/** Each is a list of commands that run one after the other. A package is packed once, for all that look at it. */
const jobs = [
  [{ name: 'knip', args: ['node_modules/knip/bin/knip.js'] }],
  ...published.map(({ folder, manifest }) => {
    const tarball = join(
      tarballs,
      `${manifest.name.replace('@', '').replace('/', '-')}-${manifest.version}.tgz`,
    );
    const pack = { name: `npm pack ${folder}`, npm: ['pack', '--pack-destination', tarballs], cwd: folder };
    const manifestAndFiles = { name: `publint ${folder}`, args: [PUBLINT, tarball, '--strict'] };
    const types = { name: `attw ${folder}`, args: [ATTW, tarball, ...ATTW_OPTIONS] };
    // A package that carries a program has no types to check.
    const isProgram = !Object.keys(manifest.exports ?? {}).some((path) => !path.endsWith('.json'));
    return isProgram ? [pack, manifestAndFiles] : [pack, manifestAndFiles, types];
  }),
];

let failed = 0;

async function check({ name, args, npm, cwd }) {
  const options = { cwd, stdio: ['ignore', 'pipe', 'pipe'] };
  const child =
    npm === undefined
      ? spawn(process.execPath, args, options)
      : spawn('npm', npm, { ...options, shell: process.platform === 'win32' });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  const [status] = await once(child, 'close');
  if (status === 0) return;
  failed++;
  console.error(`${name}:\n${output}`);
}

async function work() {
  for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) {
    for (const command of job) await check(command);
  }
}

await Promise.all(Array.from({ length: availableParallelism() }, work));
console.log(
  failed === 0
    ? 'Packages: manifests, files and types are in order, and nothing is unused.'
    : `Packages: ${failed} checks failed.`,
);
process.exitCode = failed === 0 ? 0 : 1;
