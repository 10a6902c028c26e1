import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const repository = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);

test('npm start takes a tour of the fence that ends as announced', async () => {
  const { stdout } = await run(process.execPath, [join(repository, 'examples', 'fence-tour', 'tour.mjs')]);
  expect(stdout).toContain('Every attempt ended as announced.');
  expect(readdirSync(join(repository, 'examples', 'fence-tour'))).toEqual(['tour.mjs']);
});
