import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const check = fileURLToPath(new URL('../../examples/tools-project/check.mjs', import.meta.url));

test('examples/tools-project allows what is inside the roots and denies what is not', async () => {
  const child = spawn(process.execPath, [check], { stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  await once(child, 'close');
  expect(child.exitCode).toBe(0);
  expect(out).toContain('All as promised.');
});
