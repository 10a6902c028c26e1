import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.js';
import { makeProject } from '../exec/fixtures/tools-project.js';
import { PROGRAM } from '../server/fixtures/rootward.js';
import { Place } from './fixtures/ui.js';

const CHILD = fileURLToPath(
  new URL('../../packages/server/test/watch/fixtures/open-door.mjs', import.meta.url),
);
const PROTOCOL = '6';

function doorOf(place: Place): string {
  return join(place.environment['HOME'] ?? '', '.local', 'state', 'rootward', 'door');
}

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

async function runUi(place: Place, ...args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [PROGRAM, 'ui', ...args], {
    env: place.environment,
    cwd: place.project,
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, err };
}

test.runIf(process.platform === 'linux')(
  'an executable tool that finds the socket and the key is refused; a process beside the server is let in',
  async () => {
    const place = new Place();
    await place.ui();
    const wordsFor = (pid: string): readonly string[] => [
      CHILD,
      join(place.runtime, 'rootward', `${pid}.sock`),
      pid,
      doorOf(place),
      PROTOCOL,
    ];
    const command = [process.execPath, ...wordsFor('$PPID')].map((word) => `"${word}"`).join(' ');
    const tools = makeProject({ open: `#!/bin/sh\n${command}\n` });
    const session = await place.server({ args: ['--project', tools.path, '--sandbox', 'off'] });
    await eventually(() =>
      expect(readdirSync(join(place.runtime, 'rootward'))).toContain(`${session.pid}.sock`),
    );
    expect(await session.call('open', {})).toMatchObject({
      text: expect.stringContaining('refused this process started it'),
    });
    const beside = spawn(process.execPath, wordsFor(String(session.pid)), {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    beside.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await once(beside, 'close');
    expect(said).toMatch(/^welcome/);
  },
);

test('rootward ui does not start with a key that is none, and says where it is', async () => {
  const place = new Place();
  const door = doorOf(place);
  mkdirSync(door, { recursive: true, mode: 0o700 });
  writeFileSync(join(door, 'key'), 'garbage', { mode: 0o600 });
  const { code, out, err } = await runUi(place, '--port', '0');
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain(`Cannot use the key ${join(door, 'key')}: it is not a key; remove it`);
});

test('rootward ui --port ends with its error where the port is taken, while a server runs', async () => {
  const place = new Place();
  const session = await place.server();
  await eventually(() =>
    expect(readdirSync(join(place.runtime, 'rootward'))).toContain(`${session.pid}.sock`),
  );
  const { port } = await place.ui();
  const { code, err } = await runUi(place, '--port', port);
  expect(code).not.toBe(0);
  expect(err).toContain(`Cannot listen on port ${port}`);
});
