// The long versions of tests that depend on chance or on time: `npm run soak` runs all, `npm run soak -- NAME…` some, and
// `npm run soak -- code FOLDER…` asks about the code in these folders.
import { execFileSync, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';

/** What runs, and how long it goes on, told to the tests by their environment. */
const PARTS = {
  races: {
    files: [
      'packages/core/test/scope/races.process.test.ts',
      'packages/core/test/scope/kernel-oracle.process.test.ts',
    ],
    env: { ROOTWARD_RACE_ATTEMPTS: '50000', ROOTWARD_ORACLE_RUNS: '5000' },
  },
  kills: { files: ['packages/core/test/scope/kill.process.test.ts'], env: { ROOTWARD_KILLS: '300' } },
  history: {
    files: [
      'packages/core/test/scope/editors.process.test.ts',
      'packages/core/test/history/model.process.test.ts',
      'test/history/several-servers.test.ts',
      'packages/core/test/history/random-sequences.test.ts',
      'packages/core/test/history/processes.process.test.ts',
    ],
    env: {
      ROOTWARD_EDITORS: '50',
      ROOTWARD_MODEL_RUNS: '2000',
      ROOTWARD_SERVERS: '50',
      ROOTWARD_SERVER_SEQUENCES: '200',
      ROOTWARD_HISTORY_SEQUENCES: '10000',
      ROOTWARD_HISTORY_KILLS: '500',
    },
  },
  leaving: {
    files: ['test/server/life/leaving.test.ts', 'test/server/language-servers.test.ts'],
    env: { SOAK_ROUNDS: '50', ROOTWARD_SERVER_STARTS: '50' },
  },
  asking: {
    files: ['packages/core/test/workspace/asking/asking.test.ts'],
    env: { ROOTWARD_INTERLEAVINGS: '100000' },
  },
  wrap: {
    files: ['restarts', 'life', 'modern', 'modern-inner', 'forwarding'].map(
      (name) => `test/wrap/${name}.test.ts`,
    ),
    env: { ROOTWARD_WRAP_KILLS: '100', ROOTWARD_WRAP_GARBAGE: '100000000' },
  },
  cluster: {
    files: ['test/server/http/cluster.test.ts'],
    env: {
      // Four of five have a session: 1,000 for each of two principals.
      CLUSTER_CLIENTS: '2500',
      CLUSTER_CALLS: '20000',
      CLUSTER_KILLS: '20',
      CLUSTER_KILL_EVERY: '1000',
    },
  },
  properties: {
    files: execFileSync('git', ['grep', '-l', 'fc.assert(', '--', '*.test.ts'], { encoding: 'utf8' })
      .trim()
      .split('\n'),
    env: {},
  },
  memory: { files: ['test/server/life/soak.test.ts'], env: { SOAK_CALLS: '100000' } },
};

const folders = process.argv
  .slice(2)
  .filter((argument) => !Object.hasOwn(PARTS, argument) && existsSync(argument));
if (folders.length > 0) {
  PARTS.code = {
    // Whatever was asked before, each pair together, configurations that leave files out, and moved folders.
    files: ['folders', 'pairs', 'proof', 'several-roots', 'index-of-c', 'new-problems'].map(
      (name) => `packages/lsp/test/real/${name}.test.ts`,
    ),
    env: { ROOTWARD_CODE_FOLDERS: folders.map((folder) => resolve(folder)).join(delimiter) },
  };
}
const asked = process.argv.slice(2).filter((argument) => !folders.includes(argument));
const unknown = asked.find((name) => !Object.hasOwn(PARTS, name));
if (unknown !== undefined) {
  console.error(`Cannot run ${JSON.stringify(unknown)}: the parts are ${Object.keys(PARTS).join(', ')}`);
  process.exit(2);
}
// `npm test` has a fixed one. A failure is repeated by setting this one.
const seed = { ROOTWARD_PROPERTY_SEED: process.env.ROOTWARD_PROPERTY_SEED ?? String(randomInt(2 ** 31)) };
console.error(`Property tests run with ROOTWARD_PROPERTY_SEED=${seed.ROOTWARD_PROPERTY_SEED}`);
for (const [name, { files, env }] of Object.entries(PARTS)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  const { status } = spawnSync(
    process.execPath,
    // One file after the other: on a busy machine V8 compiles later, and the memory part sees it.
    ['node_modules/vitest/vitest.mjs', 'run', '--testTimeout=3600000', '--no-file-parallelism', ...files],
    // A variable that is set already wins: CLUSTER_CLIENTS=120 npm run soak -- cluster
    { stdio: 'inherit', env: { ...env, ...process.env, ...seed } },
  );
  if (status !== 0) process.exitCode = status ?? 1;
}
