import { defineConfig } from 'vitest/config';

/** Real language servers take the most time and memory. */
const LANGUAGE_SERVERS = ['test/**/language-server*.test.ts', 'packages/lsp/test/real/**/*.test.ts'];
/** Beside a package's unit tests: what races, kills or serves with processes of its own. */
const PROCESSES = 'packages/*/test/**/*.process.test.ts';
/** These replace a module, which must not reach other files. */
const MOCKED = [
  'packages/server/test/audit/audit-trail.test.ts',
  'packages/server/test/cli/process-directories.test.ts',
  'packages/server/test/serve/http/http-access.test.ts',
];

export default defineConfig({
  test: {
    pool: 'forks',
    // Most tests wait for processes: on two cores, two workers leave a third of the time unused.
    maxWorkers: 3,
    // Loading all modules anew for each file took longer than most tests. Files that replace a module still need it.
    isolate: false,
    setupFiles: ['testing/clean-up-setup.ts', 'testing/property-seed-setup.ts'],
    // A limit ends a test that hangs, on a busy machine too: nothing is told from how long a test took.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // The default is one second, which is nothing on a busy machine.
    expect: { poll: { timeout: 200_000, interval: 20 } },
    coverage: { include: ['packages/*/src/**'] },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['packages/*/test/**/*.test.ts'],
          exclude: [...LANGUAGE_SERVERS, ...MOCKED, PROCESSES],
        },
      },
      { extends: true, test: { name: 'unit-mocked', include: MOCKED, isolate: true } },
      {
        extends: true,
        test: {
          name: 'sdk-v1-lowest',
          include: ['packages/mcp/test/sdk-v1/**/*.test.ts'],
          // The lowest version that the package says it works with; the newest is tested with all others.
          alias: { '@modelcontextprotocol/sdk/': '@modelcontextprotocol/sdk-lowest/' },
        },
      },
      {
        extends: true,
        test: { name: 'end-to-end', include: ['test/**/*.test.ts', PROCESSES], exclude: LANGUAGE_SERVERS },
      },
      { extends: true, test: { name: 'language-servers', include: LANGUAGE_SERVERS } },
    ],
  },
});
