import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const repository = fileURLToPath(new URL('..', import.meta.url));
const examples = join(repository, 'examples');
const run = promisify(execFile);

test('the tour of the fence ends as announced', async () => {
  const { stdout } = await run(process.execPath, [join(examples, 'fence-tour', 'tour.mjs')]);
  expect(stdout).toContain('Every attempt ended as announced.');
});

test('npm run demo ends as told', async () => {
  const { stdout } = await run(process.execPath, [join(examples, 'demo', 'demo.mjs')]);
  expect(stdout).toContain('Everything went as told.');
  expect(stdout).not.toContain('✗');
});

/** Each example of a server has a client that drives and checks it. */
const clients = readdirSync(examples)
  .map((name) => ({ name, client: join(examples, name, 'client.mjs') }))
  .filter(({ client }) => existsSync(client));

test('there are examples of servers', () => {
  expect(clients.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['server-http', 'server-v1', 'server-v2']),
  );
});

test.each(clients)('the example $name ends as it announces', async ({ client }) => {
  const { stdout } = await run(process.execPath, [client]);
  expect(stdout).toContain('All as expected.');
  expect(stdout).not.toContain('✗');
});
