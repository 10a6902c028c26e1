import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { EXAMPLES } from '../../packages/server/dist/cli/help/examples.js';
import { isInstalled, RedisServer, STORE_PROGRAM } from '../../testing/redis-server.js';
import { hasFish, makePlace } from './fixtures/shells.js';

const { directory: cwd, environment: env } = makePlace();
const all = Object.values(EXAMPLES).flat();
const inFish = (run: string): boolean => run.includes('fish');
const revokes = (run: string): boolean => run.includes(' revoke ');
/** Run by what makes the picture of it. */
const shows = (run: string): boolean => run.endsWith(' demo');
const serves = (run: string): boolean => / --http| ui\b/.test(run);

async function runInShell(
  shell: string,
  line: string,
  stopAt?: string,
  more: NodeJS.ProcessEnv = {},
): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> {
  const child = spawn(shell, ['-c', line], { cwd, env: { ...env, PWD: cwd, ...more } });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += String(chunk);
    if (stopAt !== undefined && out.includes(stopAt)) child.kill('SIGTERM');
  });
  child.stderr.on('data', (chunk: Buffer) => (err += String(chunk)));
  child.stdin.end();
  await once(child, 'close');
  return { code: child.exitCode, out, err };
}

describe('The examples of the help', () => {
  test.each(all.filter(({ run }) => !inFish(run) && !serves(run) && !revokes(run) && !shows(run)))(
    'work: $run',
    async ({ run }) => {
      expect(await runInShell('bash', run)).toMatchObject({ code: 0 });
    },
  );

  test('demo prints what its picture in the README shows', async () => {
    const script = fileURLToPath(new URL('../../scripts/record-demo.mjs', import.meta.url));
    const { code, err } = await runInShell('bash', `'${process.execPath}' '${script}' --check`);
    expect(err).toBe('');
    expect(code).toBe(0);
  });

  test.each(all.filter(({ run }) => serves(run)))('serve: $run', async ({ run }) => {
    // A server of another test may have the port: without one, each takes the next that is free.
    const line = run.replace(/--http \d+/, '--http 0');
    const { out } = await runInShell('bash', `exec ${line}`, 'Ctrl+C');
    expect(out).toMatch(/(serves MCP|The page is) at http:\/\/127\.0\.0\.1:/);
  });

  test.skipIf(!isInstalled(STORE_PROGRAM))('revoke with a store', async () => {
    await using redis = await RedisServer.start();
    for (const { run } of all.filter((example) => revokes(example.run))) {
      const done = await runInShell('bash', run, undefined, { ROOTWARD_STORE: redis.url });
      expect(done).toMatchObject({ code: 0 });
    }
  });

  describe.runIf(hasFish)('for fish', () => {
    test.each(all.filter(({ run }) => inFish(run)))('work: $run', async ({ run }) => {
      expect(await runInShell('fish', run)).toEqual({ code: 0, out: '', err: '' });
    });
  });
});
