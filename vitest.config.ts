import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    // Race tests keep both cores busy with a second process; a generous limit keeps slow machines honest.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // Most tests wait for processes; on two cores one worker at a time leaves a core idle.
    maxWorkers: 2,
    coverage: { include: ['packages/*/src/**'] },
  },
});
