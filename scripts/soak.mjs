// The long versions of the tests that depend on chance: races, kills and random trees; and one that shows what creeps.
import { spawnSync } from 'node:child_process';

const { status } = spawnSync(
  process.execPath,
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--testTimeout=3600000',
    // On a busy machine V8 compiles later, and the soak test sees it.
    '--no-file-parallelism',
    'packages/core/test/scope/races.test.ts',
    'packages/core/test/scope/kernel-oracle.test.ts',
    'packages/core/test/scope/kill.test.ts',
    'test/server/soak.test.ts',
  ],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      ROOTWARD_RACE_ATTEMPTS: '50000',
      ROOTWARD_ORACLE_RUNS: '5000',
      ROOTWARD_KILLS: '300',
      SOAK_CALLS: '100000',
    },
  },
);
process.exitCode = status ?? 1;
