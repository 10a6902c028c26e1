import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const script = fileURLToPath(new URL('../conformance/run.mjs', import.meta.url));
const CANNOT_INSTALL = 3;

test.for([
  ['own', 'a server with a workspace'],
  ['wrap', 'the same server behind rootward wrap'],
  ['skills', 'the guidance of rootward'],
] as const)(
  'the official conformance suite (%s) finds in %s what it is known to find',
  ([part], { skip }) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, part], { encoding: 'utf8' });
    skip(status === CANNOT_INSTALL, 'the suite comes from the registry, which is out of reach');
    expect(stdout + stderr).toContain('Conformance: as expected.');
    expect(status).toBe(0);
  },
);
