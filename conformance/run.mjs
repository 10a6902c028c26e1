// Runs the official conformance suite against the fixture server, and against the same server behind `rootward wrap --http`,
// once per revision, and the scenarios of skills against `rootward --http`; `npm run conformance -- own`, `-- wrap` or
// `-- skills` runs one of the three. The suite, and a Node that is new enough for it, are installed on first use, so
// that a plain install of this repository stays small; `-- install` does only that.
// Exit codes: 0 as expected, 1 something new fails or passes, 3 the suite cannot be installed.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
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

const FIXTURE = join(here, 'fixture', 'server.mjs');
const PROGRAM = fileURLToPath(new URL('../packages/server/dist/rootward.cjs', import.meta.url));
/** Guidance is served as skills by the program, not by the library: it has a run of its own. */
const SKILLS = ['directory', 'enumeration', 'manifest'].map((part) => `sep-2640-skills-${part}`);
const wrapped = (folder, ...flags) => [
  PROGRAM,
  'wrap',
  '--http',
  '0',
  '--insecure-no-token',
  '--root',
  folder,
  ...flags,
  '--',
  process.execPath,
  FIXTURE,
  '--stdio',
];
/** The servers, and how many scenarios of each revision a run that looked at them finds. */
const SERVERS = {
  own: {
    args: () => [FIXTURE],
    expected: 'expected-failures.yml',
  },
  wrap: {
    // The suite does not expect to be asked for roots by the first call, so it is not; where it does, it is.
    args: (folder) => wrapped(folder, '--client-roots', 'ignore'),
    expected: 'expected-failures-wrap.yml',
    withClientRoots: { args: wrapped, scenarios: ['input-required-result-basic-list-roots'] },
  },
};

async function startServer(args) {
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  process.on('exit', () => server.kill());
  const ended = once(server, 'exit').then(() => {
    throw new Error('Cannot run the suite: the server has ended');
  });
  ended.catch(() => undefined);
  const [line] = await Promise.race([once(createInterface({ input: server.stdout }), 'line'), ended]);
  return { address: /http:\S+/.exec(line)?.[0], stop: () => server.kill() };
}

async function runSuite(args) {
  const suite = spawn(nodePath(), [join(suiteFolder, 'dist', 'index.js'), 'server', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [suite.stdout, suite.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      output += chunk;
    });
  }
  const [code] = await once(suite, 'close');
  return { code, output };
}

/** Whether this revision went as expected. */
async function judge(address, { revision, selection, scenarios }, expected) {
  const options = {
    '--url': address,
    [selection]: revision,
    '--expected-failures': join(here, expected),
  };
  const { code, output } = await runSuite(Object.entries(options).flat());
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

/** Whether these scenarios pass, without a warning and with nothing left out. */
async function judgeEach(args, scenarios) {
  const { address, stop } = await startServer(args);
  const version = ['--url', address, '--spec-version', '2026-07-28', '--force'];
  const runs = await Promise.all(scenarios.map((name) => runSuite([...version, '--scenario', name])));
  stop();
  return runs.every(({ code, output }, index) => {
    const [line] = /Passed: (\d+)\/\1, 0 failed, 0 warnings/.exec(output) ?? [];
    const passes = code === 0 && line !== undefined && !output.includes('SKIPPED');
    if (!passes) console.log(output);
    console.log(`${passes ? '✓' : '✗'} ${scenarios[index]}: ${line ?? 'no result'}`);
    return passes;
  });
}

function judgeSkills() {
  console.log('Guidance as skills, rootward --http:');
  writeFileSync(join(folder, 'README.md'), '# A project\n');
  const options = ['--http', '0', '--insecure-no-token', '--client-roots', 'ignore', '--root', folder];
  return judgeEach([PROGRAM, ...options], SKILLS);
}

const [only] = process.argv.slice(2);
install();
if (only === 'install') process.exit();
let asExpected = true;
const folder = mkdtempSync(join(tmpdir(), 'rootward-conformance-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const [name, server] of Object.entries(SERVERS)) {
  if (only !== undefined && only !== name) continue;
  console.log(name === 'own' ? 'The server itself:' : 'The same server behind rootward wrap --http:');
  const { address, stop } = await startServer(server.args(folder));
  for (const run of RUNS) asExpected = (await judge(address, run, server.expected)) && asExpected;
  stop();
  if (server.withClientRoots === undefined) continue;
  console.log('The same, with roots of the client:');
  const { args, scenarios } = server.withClientRoots;
  asExpected = (await judgeEach(args(folder), scenarios)) && asExpected;
}
if (only === undefined || only === 'skills') asExpected = (await judgeSkills()) && asExpected;
console.log(asExpected ? 'Conformance: as expected.' : 'Conformance: NOT as expected.');
process.exitCode = asExpected ? 0 : 1;
