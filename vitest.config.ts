import { defineConfig } from 'vitest/config';

/** Tests that start real language servers; they take the most time and memory. */
const LANGUAGE_SERVERS = ['test/server/language-server*.test.ts', 'packages/lsp/test/real/**/*.test.ts'];

export default defineConfig({
  test: {
    pool: 'forks',
    // Most tests wait for processes; on two cores one worker at a time leaves a core idle.
    maxWorkers: 2,
    coverage: { include: ['packages/*/src/**'] },
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: ['packages/*/test/**/*.test.ts'], exclude: LANGUAGE_SERVERS },
      },
      {
        extends: true,
        test: { name: 'end-to-end', include: ['test/**/*.test.ts'], exclude: LANGUAGE_SERVERS },
      },
      { extends: true, test: { name: 'language-servers', include: LANGUAGE_SERVERS } },
    ],
    // A limit is there to end a test that hangs, on a busy machine too: nothing is told from how long a test took.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
