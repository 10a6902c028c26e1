// Checks every package that is published as its users will find it (manifest, files and types), and that nothing in the
// repository is unused. One package after the other would leave all processors but one idle.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

const PUBLINT = 'node_modules/publint/src/cli.js';
const ATTW = 'node_modules/@arethetypeswrong/cli/dist/index.js';
// Declared as CommonJS for those who require it: every Node that is supported can require an ES module.
const ATTW_OPTIONS = ['--profile', 'esm-only', '--ignore-rules', 'false-cjs'];

const published = readdirSync('packages')
  .map((name) => `packages/${name}`)
  .map((folder) => ({ folder, manifest: JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) }))
  .filter(({ manifest }) => manifest.private !== true);

/** Each is a list of commands that run one after the other: two that pack one folder at once would see each other. */
const jobs = [
  [['node_modules/knip/bin/knip.js']],
  ...published.map(({ folder, manifest }) => {
    // A package that carries a program has no types to check.
    const isProgram = !Object.keys(manifest.exports ?? {}).some((path) => !path.endsWith('.json'));
    const manifestAndFiles = [PUBLINT, folder, '--strict'];
    return isProgram ? [manifestAndFiles] : [manifestAndFiles, [ATTW, '--pack', folder, ...ATTW_OPTIONS]];
  }),
];

let failed = 0;

async function check(command) {
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  const [status] = await once(child, 'close');
  if (status === 0) return;
  failed++;
  console.error(`${command.join(' ')}:\n${output}`);
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
