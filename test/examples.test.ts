import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../testing/temporary-folders.js';
import { blocksIn, repository } from './docs/pages.js';

const examples = join(repository, 'examples');
const run = promisify(execFile);

test('the tour of the fence ends as announced', async () => {
  const { stdout } = await run(process.execPath, [join(examples, 'fence-tour', 'tour.mjs')]);
  expect(stdout).toContain('Every attempt ended as announced.');
});

test('npm run demo ends as told, and leaves nothing behind', async () => {
  const program = join(repository, 'packages', 'server', 'bin', 'rootward.cjs');
  // The language server is this repository's TypeScript.
  const ROOTWARD_PROGRAM_FOLDERS = join(repository, 'node_modules', '.bin');
  const { folder } = temporaryFolder('demo');
  const own = { HOME: folder('home'), XDG_STATE_HOME: folder('state'), TMPDIR: folder('tmp') };
  const { stdout } = await run(process.execPath, [program, 'demo'], {
    env: { ...process.env, ROOTWARD_PROGRAM_FOLDERS, ...own },
  });
  expect(stdout).toContain('Everything went as told.');
  expect(stdout).toContain('references to price');
  expect(stdout).not.toContain('✗');
  expect(Object.values(own).flatMap((path) => readdirSync(path))).toEqual([]);
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

test('the page about them shows how to run every one of them, and no other', () => {
  const page = blocksIn('sh').filter((block) => block.page === join('examples', 'README.md'));
  const shown = page.flatMap(({ code }) =>
    [...code.matchAll(/^node (\S+)/gm)].map((match) => match[1] ?? ''),
  );
  expect(shown.filter((file) => !existsSync(join(repository, file)))).toEqual([]);
  const folders = readdirSync(examples, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  expect(new Set(shown.map((file) => file.split('/')[1]))).toEqual(new Set(folders));
});

test.each(clients)('the example $name ends as it announces', async ({ client }) => {
  const { stdout } = await run(process.execPath, [client]);
  expect(stdout).toContain('All as expected.');
  expect(stdout).not.toContain('✗');
});
