import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const script = fileURLToPath(new URL('../conformance/run.mjs', import.meta.url));
const CANNOT_INSTALL = 3;

test('the official conformance suite finds in a server with a workspace what it is known to find, in both eras', ({
  skip,
}) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' });
  skip(status === CANNOT_INSTALL, 'the suite comes from the registry, which is out of reach');
  expect(stdout + stderr).toContain('Conformance: as expected.');
  expect(status).toBe(0);
});
