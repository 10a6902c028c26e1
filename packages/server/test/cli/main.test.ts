import { afterEach, expect, test, vi } from 'vitest';
import { main } from '../../src/cli/main.js';

const { argv } = process;
afterEach(() => {
  process.argv = argv;
  process.exitCode = undefined;
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

test('main() takes secrets out of the environment, which children inherit', async () => {
  vi.stubEnv('ROOTWARD_TOKEN', 'a-token-for-tests-1');
  vi.stubEnv('ROOTWARD_HANDLE_KEY', 'k'.repeat(32));
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  process.argv = ['node', 'rootward', '--version'];
  await main(undefined);
  expect(process.env['ROOTWARD_TOKEN']).toBeUndefined();
  expect(process.env['ROOTWARD_HANDLE_KEY']).toBeUndefined();
});
