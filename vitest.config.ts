import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    // Race tests keep both cores busy with a second process; a generous limit keeps slow machines honest.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    coverage: { include: ['packages/*/src/**'] },
  },
});
