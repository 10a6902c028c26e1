// Runs the official conformance suite against the fixture server, once per revision. What the suite needs, it and a Node
// that is new enough for it, is installed on first use: nobody who only installs this repository pays for it.
// Exit codes: 0 as expected, 1 something new fails or passes, 3 the suite cannot be installed.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const suiteFolder = join(here, 'node_modules', '@modelcontextprotocol', 'conformance');
const OLDEST_NODE_OF_SUITE = 22;
const CANNOT_INSTALL = 3;

/** A run that finds fewer scenarios than this did not look at the server. */
const RUNS = [
  { revision: '2025-06-18', selection: '--spec-version', scenarios: 25 },
  { revision: '2025-11-25', selection: '--requirements', scenarios: 30 },
  { revision: '2026-07-28', selection: '--requirements', scenarios: 37 },
];

function versionIn(folder) {
  const manifest = join(folder, 'package.json');
  return existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')).version : undefined;
}

function install() {
  const { dependencies } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
  if (
    versionIn(suiteFolder) === dependencies['@modelcontextprotocol/conformance'] &&
    existsSync(nodePath())
  ) {
    return;
  }
  console.log('Installing the suite …');
  const { status, stderr } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--prefer-offline'], {
    cwd: here,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (status === 0) return;
  console.error(`Cannot install the suite: ${stderr}`);
  process.exit(CANNOT_INSTALL);
}

function nodePath() {
  if (Number.parseInt(process.versions.node, 10) >= OLDEST_NODE_OF_SUITE) return process.execPath;
  return join(here, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
}

async function startFixture() {
  const server = spawn(process.execPath, [join(here, 'fixture', 'server.mjs')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.on('exit', () => server.kill());
  const ended = once(server, 'exit').then(() => {
    throw new Error('Cannot run the suite: the fixture server has ended');
  });
  const [address] = await Promise.race([once(createInterface({ input: server.stdout }), 'line'), ended]);
  ended.catch(() => undefined);
  return { address, stop: () => server.kill() };
}

/** Whether this revision went as expected. */
async function judge(address, { revision, selection, scenarios }) {
  const options = {
    '--url': address,
    [selection]: revision,
    '--expected-failures': join(here, 'expected-failures.yml'),
  };
  const suite = spawn(
    nodePath(),
    [join(suiteFolder, 'dist', 'index.js'), 'server', ...Object.entries(options).flat()],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  for (const stream of [suite.stdout, suite.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      output += chunk;
    });
  }
  const [code] = await once(suite, 'close');
  const outcomes = [...output.matchAll(/^([✓✗]) (\S+): (\d+) passed/gm)];
  const passed = outcomes.filter(([, mark]) => mark === '✓');
  const checks = outcomes.reduce((sum, [, , , count]) => sum + Number(count), 0);
  const failed = outcomes.filter(([, mark]) => mark === '✗').map(([, , name]) => name);
  const asExpected = code === 0 && passed.length >= scenarios;
  if (!asExpected) console.log(output);
  console.log(
    `${asExpected ? '✓' : '✗'} ${revision}: ${passed.length} scenarios pass with ${checks} checks` +
      (failed.length > 0 ? `; ${failed.length} fail: ${failed.join(', ')}` : ''),
  );
  return asExpected;
}

install();
const { address, stop } = await startFixture();
let asExpected = true;
for (const run of RUNS) asExpected = (await judge(address, run)) && asExpected;
stop();
console.log(asExpected ? 'Conformance: as expected.' : 'Conformance: NOT as expected.');
process.exitCode = asExpected ? 0 : 1;
