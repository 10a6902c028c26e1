import { spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { bareEnvironment, makeFolders, PROGRAM } from '../server/fixtures/rootward.js';

const FULL = '/dev/full';

// The device that has no space left.
describe.runIf(existsSync(FULL))('where the disk is full', () => {
  const folders = makeFolders('a');
  const full = openSync(FULL, 'w');
  afterAll(() => closeSync(full));

  test.each([
    ['text', []],
    ['JSON', ['--json']],
  ])('%s that cannot be written is a failure told in one line', (_, flags) => {
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM, 'roots', folders.path('a'), ...flags], {
      stdio: ['ignore', full, 'pipe'],
      env: bareEnvironment(),
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^rootward: Cannot write to stdout: ENOSPC.*\n$/);
  });

  test('a wrong use has its exit code also where nothing can be said about it', () => {
    const { status } = spawnSync(process.execPath, [PROGRAM, '--bogus'], {
      stdio: ['ignore', full, full],
      env: bareEnvironment(),
    });
    expect(status).toBe(2);
  });

  test('a server over HTTP goes on without its log', async () => {
    const child = spawn(process.execPath, [PROGRAM, folders.path('a'), '--http', '0'], {
      stdio: ['ignore', 'pipe', full],
      // Something to warn of before it listens.
      env: { ...bareEnvironment(), ROOTWARD_ROOT: 'misspelt' },
    });
    try {
      let said = '';
      for await (const chunk of child.stdout!) {
        said += String(chunk);
        if (said.includes('Stop it')) break;
      }
      const [url = ''] = /http:\/\/\S+\/mcp/.exec(said) ?? [];
      // The second time it had every chance to fail over the first.
      for (const _ of [1, 2]) expect((await fetch(url)).status).toBe(401);
    } finally {
      child.kill('SIGKILL');
    }
  });
});
